import { readdirSync, readFileSync } from 'node:fs'

/**
 * The ids of a process and its descendants, without those in the trees of `except`. Only on Linux; elsewhere, the
 * process alone.
 */
export function processTree(root: number, except: readonly number[] = []): number[] {
  if (except.includes(root)) return []
  const children = readProcess(root, `task/${root}/children`).split(' ').filter(Boolean).map(Number)
  return [root, ...children.flatMap((child) => processTree(child, except))]
}

/** The ids of a process's threads; none if it has ended. */
export function threadsOf(pid: number): string[] {
  return unlessEnded(() => readdirSync(`/proc/${pid}/task`)) ?? []
}

/** A file about a process, below /proc/PID; empty if the process has ended. */
export function readProcess(pid: number, file: string): string {
  return unlessEnded(() => readFileSync(`/proc/${pid}/${file}`, 'latin1')) ?? ''
}

/** A process can end at any moment, also between two system calls of one read. */
function unlessEnded<Found>(read: () => Found): Found | undefined {
  try {
    return read()
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ESRCH') return undefined
    throw error
  }
}

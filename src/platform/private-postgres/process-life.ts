import { readFile } from 'node:fs/promises'

/** Whether a process with this id exists, whichever user it belongs to. */
export function processExists(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Whether a process with this id is still running. A zombie is not: in a container whose first process is not an init
 * system, orphans remain zombies for ever.
 */
export async function isRunning(pid: number): Promise<boolean> {
  if (!processExists(pid)) return false
  if (process.platform !== 'linux') return true
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return status === undefined ? processExists(pid) : !/\) [ZX] /.test(status)
}

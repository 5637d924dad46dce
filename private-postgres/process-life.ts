import { readFile } from 'node:fs/promises'

/** Whether a process of that number exists, be it this user's or another's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Whether a process of that number still runs. One that has ended, but that nobody has collected, does not: orphans stay
 * like that for ever in a container whose first process is not an init.
 */
export async function isRunning(pid: number): Promise<boolean> {
  if (!isAlive(pid)) return false
  if (process.platform !== 'linux') return true
  const status = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => undefined)
  return status === undefined ? isAlive(pid) : !/\) [ZX] /.test(status)
}

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { programEnvironment } from './run-program.ts'

/**
 * Locks a cluster for a new server: returns a file that the server must inherit, or undefined if another server has the
 * lock. The kernel keeps the lock while any process has the inherited file open. PostgreSQL's own lock files contain
 * process ids, which mean nothing to a server in another container. If the lock is not available here, says so and
 * returns the file unlocked.
 */
export async function lockCluster(cluster: string, log: (message: string) => void): Promise<FileHandle | undefined> {
  // A file that exists as long as the cluster, and that PostgreSQL neither replaces nor locks.
  const file = await open(join(cluster, 'PG_VERSION'), 'r+')
  try {
    const failure = await runFlock(file)
    if (failure === undefined) return file
    if (failure === 'locked') {
      await file.close()
      return undefined
    }
    // Elsewhere, there are no containers that share a folder.
    if (process.platform === 'linux')
      log(`${cluster} cannot be locked (flock: ${failure}). Make sure that no other container uses this DATA_DIR.`)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** Locks an open file with the system's `flock`. Returns why that failed; `locked` if another process has the lock. */
async function runFlock(file: FileHandle): Promise<string | undefined> {
  const child = spawn('flock', ['-x', '-n', '3'], {
    cwd: '/',
    env: programEnvironment,
    stdio: ['ignore', 'ignore', 'ignore', file.fd],
  })
  try {
    const [status, signal] = (await once(child, 'close')) as [number | null, string | null]
    if (status === 0) return undefined
    return status === 1 ? 'locked' : `${signal ?? `exit status ${status}`}`
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

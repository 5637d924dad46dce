import { readFile, readlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { EmbeddedPostgresError } from './embedded-postgres-error.ts'
import { isRunning, processExists } from './process-life.ts'
import { runProgram } from './run-program.ts'
import { socketFile } from './server-settings.ts'

/** PostgreSQL's main process. */
export interface Postmaster {
  pid: number
}

/**
 * The running postmaster of this data directory, if it is visible to this process. The process id in `postmaster.pid`
 * alone proves nothing: after a kill or a reboot, another process may have the same id.
 */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const pid = await firstNumberIn(join(cluster, 'postmaster.pid'))
  return pid !== undefined && (await servesCluster(pid, cluster)) ? { pid } : undefined
}

/**
 * Finds a process id in the cluster's lock files that belongs to a running process other than the cluster's postmaster.
 * PostgreSQL would mistake that process for a server and refuse to start.
 */
export async function findForeignPidInLockFiles(cluster: string, socketFolder: string): Promise<number | undefined> {
  for (const file of [join(cluster, 'postmaster.pid'), `${socketFile(socketFolder)}.lock`]) {
    const pid = await firstNumberIn(file)
    if (pid !== undefined && processExists(pid) && !(await servesCluster(pid, cluster))) return pid
  }
  return undefined
}

/** Requests a fast shutdown (which rolls back open transactions) and makes sure that the process ends. */
export async function stopPostmaster(cluster: string, log: (message: string) => void): Promise<void> {
  if (await endWith('SIGINT', cluster, 30_000)) return
  log('PostgreSQL did not stop within 30 s. Stopping it immediately; it recovers at the next start.')
  if (await endWith('SIGQUIT', cluster, 6_000)) return
  if (await endWith('SIGKILL', cluster, 5_000)) return
  throw new EmbeddedPostgresError(
    `The PostgreSQL server of ${cluster} cannot be stopped. Stop it manually, or restart the machine.`,
  )
}

async function endWith(signal: NodeJS.Signals, cluster: string, patienceMs: number): Promise<boolean> {
  const postmaster = await findPostmaster(cluster)
  if (postmaster === undefined) return true
  try {
    process.kill(postmaster.pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
  const deadline = performance.now() + patienceMs
  while (await isRunning(postmaster.pid)) {
    if (performance.now() > deadline) return false
    await sleep(5)
  }
  return true
}

async function firstNumberIn(file: string): Promise<number | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  const pid = Number(text?.split('\n')[0])
  return Number.isInteger(pid) && pid > 0 ? pid : undefined
}

/**
 * Whether a process is this data directory's postmaster: it runs `postgres`, and its working directory is the data
 * directory.
 */
async function servesCluster(pid: number, cluster: string): Promise<boolean> {
  if (process.platform === 'linux') {
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined)
    const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
    return folder === cluster && basename(command.split('\0')[0] ?? '') === 'postgres'
  }
  const { output } = await runProgram('ps', ['-ww', '-o', 'command=', '-p', String(pid)])
  return output.includes('postgres') && output.includes(cluster)
}

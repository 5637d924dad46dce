import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, copyFile, type FileHandle, open, stat, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterFolder, type Home } from './home.ts'
import { findForeignPidInLockFiles } from './postmaster.ts'
import { programEnvironment, spawnOptionsFor } from './run-program.ts'
import { fixedSettings, prepareSocketFolder, socketFolderOf, socketPort } from './server-settings.ts'

/** A server that was started and may still be starting. */
export interface LaunchedServer {
  /** Whether the server's process has exited. */
  hasEnded(): boolean
  /** Stops the server if it is still running. */
  end(): Promise<void>
  /** What the server has logged so far. */
  output(): Promise<string>
}

/**
 * Starts a postmaster in its own session, so that neither Ctrl-C nor a signal to Housebill's process group stops it
 * before Housebill has finished its requests. If this process is killed, the server keeps running and the next
 * Housebill process uses it. Returns undefined if another server has locked the cluster.
 */
export async function launchServer(
  home: Home,
  programs: string,
  settings: Readonly<Record<string, string>>,
  log: (message: string) => void,
): Promise<LaunchedServer | undefined> {
  const lock = await lockCluster(clusterFolder(home.folder), log)
  if (lock === undefined) return undefined
  try {
    return await spawnServer(home, programs, settings, lock)
  } finally {
    await lock.close()
  }
}

async function spawnServer(
  home: Home,
  programs: string,
  settings: Readonly<Record<string, string>>,
  lock: FileHandle,
): Promise<LaunchedServer> {
  const cluster = clusterFolder(home.folder)
  const socketFolder = socketFolderOf(home)
  await prepareSocketFolder(home)
  const stranger = await findForeignPidInLockFiles(cluster, socketFolder)
  const { handle, start } = await openLog(home)
  const chosen = { ...fixedSettings(socketFolder, socketPort), ...settings }
  const options = Object.entries(chosen).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(programs, 'bin', 'postgres'), ['-D', cluster, ...options], {
    cwd: '/',
    detached: true,
    stdio: ['ignore', handle.fd, handle.fd, lock.fd],
    // Makes PostgreSQL ignore this process id in its lock files (pg_ctl uses the variable for its own parent). Unlike
    // deleting the lock file, this cannot affect a file that another process has just written.
    env: stranger === undefined ? programEnvironment : { ...programEnvironment, PG_GRANDPARENT_PID: String(stranger) },
    ...spawnOptionsFor(home.user),
  })
  let ended = false
  let rejection = ''
  child.once('exit', () => {
    ended = true
  })
  child.once('error', (error) => {
    ended = true
    rejection = error.message
  })
  child.unref()
  await handle.close()
  return {
    hasEnded: () => ended,
    end: async () => {
      if (ended) return
      child.ref()
      const exit = once(child, 'exit', { signal: AbortSignal.timeout(30_000) })
      child.kill('SIGINT')
      await exit.catch(() => child.kill('SIGQUIT'))
    },
    output: async () => `${await readLogSince(home.folder, start)}${rejection}`,
  }
}

/**
 * Locks a cluster for a new server: returns a file that the server must inherit, or undefined if another server has the
 * lock. The kernel keeps the lock while any process has the inherited file open. PostgreSQL's own lock files contain
 * process ids, which mean nothing to a server in another container. If the lock is not available here, says so and
 * returns the file unlocked.
 */
async function lockCluster(cluster: string, log: (message: string) => void): Promise<FileHandle | undefined> {
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

const maxBytes = 5_000_000

/** PostgreSQL's own log of starts, stops, recoveries and crashes. It contains no statements and no values. */
function logFileIn(home: string): string {
  return join(home, 'postgres.log')
}

/**
 * Moves a log larger than 5 MB aside, replacing the previous one, so there are never more than two. Copies and
 * truncates instead of renaming, because the server keeps the file open for appending.
 */
export async function rotateLog(home: string): Promise<void> {
  const file = logFileIn(home)
  const found = await stat(file).catch(() => undefined)
  if (found === undefined || found.size <= maxBytes) return
  await copyFile(file, `${file}.1`)
  await truncate(file)
}

/** Opens the log for a new server and returns where its entries will begin. The caller closes the handle. */
async function openLog(home: Home): Promise<{ handle: Awaited<ReturnType<typeof open>>; start: number }> {
  await rotateLog(home.folder)
  const handle = await open(logFileIn(home.folder), 'a', 0o600)
  if (home.user !== undefined) await chown(logFileIn(home.folder), home.user.uid, home.user.gid)
  return { handle, start: (await handle.stat()).size }
}

/** The log since `start`, at most its last 20,000 bytes. */
async function readLogSince(home: string, start: number): Promise<string> {
  const handle = await open(logFileIn(home), 'r')
  try {
    const { size } = await handle.stat()
    const from = Math.max(Math.min(start, size), size - 20_000)
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from)
    return buffer.toString('utf8', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

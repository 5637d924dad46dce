import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statfsSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { Client } from 'pg'
import { isRunning } from '../../src/platform/private-postgres/process-life.ts'
import {
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../src/platform/private-postgres/start-embedded.ts'
import { waitFor } from './wait-for.ts'

export const isRoot = process.geteuid?.() === 0

const cleanups = new WeakMap<TestContext, (() => unknown)[]>()

/**
 * Cleans up after the test in reverse order. `t.after` runs in the order of registration, which would delete folders
 * while servers still use them.
 */
function cleanUpLater(t: TestContext, cleanup: () => unknown): void {
  const known = cleanups.get(t)
  if (known !== undefined) {
    known.unshift(cleanup)
    return
  }
  const steps = [cleanup]
  cleanups.set(t, steps)
  t.after(async () => {
    for (const step of steps) await step()
  })
}

/** Creates an empty folder that PostgreSQL's user can traverse. */
export async function createFolder(): Promise<string> {
  const folder = await mkdtemp(join(fastestFolder, 'housebill-embedded-'))
  await chmod(folder, 0o711)
  return folder
}

/** Creates an empty folder that PostgreSQL's user can traverse, and deletes it after the test. */
export async function temporaryFolder(t: TestContext): Promise<string> {
  const folder = await createFolder()
  cleanUpLater(t, () => rm(folder, { recursive: true, force: true }))
  return folder
}

/** Starts PostgreSQL in this process, collects its log, and stops it after the test unless the test has stopped it. */
export async function startPostgres(t: TestContext, folder: string, options: Partial<EmbeddedPostgresOptions> = {}) {
  const logged: string[] = []
  const embedded = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    systemFolder: join(folder, 'system'),
    log: (message) => logged.push(message),
    ...options,
  })
  cleanUpLater(t, () => embedded.stop())
  return { embedded, logged }
}

export interface PostgresChild {
  process: ChildProcess
  /** The process id of the postmaster that the child uses. */
  pid: number
  connectionString: string
  /** The lines that the child has printed after the first. */
  lines: string[]
  /** Stops the child cleanly and waits until it has exited. */
  stop(): Promise<number | null>
  /** Kills only the Node process, before it can stop PostgreSQL. */
  kill(): Promise<void>
}

/** Starts another process that uses PostgreSQL, in its own process group, and waits until it is ready. */
export async function startPostgresChild(t: TestContext, folder: string): Promise<PostgresChild> {
  const script = fileURLToPath(new URL('./embedded-postgres-child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, join(folder, 'data'), join(folder, 'system')], {
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit') as Promise<[number | null]>
  cleanUpLater(t, async () => {
    child.kill('SIGKILL')
    await ended
  })
  const lines: string[] = []
  const reader = createInterface({ input: child.stdout })
  const [first] = (await Promise.race([once(reader, 'line'), ended.then(() => [undefined])])) as [string | undefined]
  if (first === undefined) throw new Error('the child process exited before it reported that it had started')
  reader.on('line', (line) => lines.push(line))
  return {
    process: child,
    ...(JSON.parse(first) as { pid: number; connectionString: string }),
    lines,
    stop: async () => {
      child.stdin.end()
      return (await ended)[0]
    },
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** Runs statements in order on one connection and returns the rows of the last one. */
export async function query(connectionString: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  // Some tests kill the server during a query.
  client.on('error', () => undefined)
  await client.connect()
  try {
    let rows: Record<string, unknown>[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

/** Kills all processes of a server at once, as the kernel or an operator might. */
export async function killServer(connectionString: string, postmaster: number): Promise<void> {
  const rows = await query(connectionString, 'select pid from pg_stat_activity where pid <> pg_backend_pid()')
  for (const pid of [postmaster, ...rows.map((row) => Number(row.pid))]) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch (error) {
      // The other processes exit once the postmaster is gone, so one may have exited already.
      assert.equal((error as NodeJS.ErrnoException).code, 'ESRCH')
    }
  }
  await waitFor('the postmaster is gone', async () => !(await isRunning(postmaster)))
}

const memory = '/dev/shm'
const leastBytes = 2 * 1_024 ** 3

/**
 * Where tests keep databases: in memory if 2 GB are there and programs may run from it, otherwise the folder for
 * temporary files. A database has 700 files, and creating and dropping one can take ten times as much processor time on
 * a disk.
 */
export const fastestFolder = isUsable() ? memory : tmpdir()

function isUsable(): boolean {
  try {
    const mounted = readFileSync('/proc/self/mounts', 'utf8').match(/^\S+ \/dev\/shm tmpfs (\S+)/m)
    const { blocks, bsize } = statfsSync(memory)
    return mounted !== null && !mounted[1]?.split(',').includes('noexec') && blocks * bsize >= leastBytes
  } catch {
    return false
  }
}

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { migrate } from '../../src/platform/db/migrate.ts'
import { readMigrations } from '../../src/platform/db/newer-version.ts'
import { startEmbeddedPostgres } from '../../src/platform/private-postgres/start-embedded.ts'
import { createFolder, query } from '../support/embedded-postgres-fixture.ts'
import type { TestDatabase } from '../support/postgres.ts'
import { waitFor } from '../support/wait-for.ts'

import type { WebhookLab } from './webhook-fixture.ts'

export interface CrashablePostgres {
  createDatabase(): Promise<TestDatabase>
  /**
   * Stops every process of the server abruptly (PostgreSQL's immediate shutdown), and waits until the server is running
   * again.
   */
  crash(): Promise<void>
  stop(): Promise<void>
}

/**
 * A PostgreSQL server that can be crashed without disturbing the other tests. Committed data survives, as in
 * production.
 */
export async function startCrashablePostgres(): Promise<CrashablePostgres> {
  const folder = await createFolder()
  const server = await startEmbeddedPostgres({
    dataDir: join(folder, 'data'),
    systemFolder: join(folder, 'system'),
    log: () => undefined,
    // Only PostgreSQL crashes, not the machine, so committed data are safe.
    settings: { fsync: 'off', full_page_writes: 'off' },
  })
  let databases = 0
  return {
    async createDatabase() {
      databases += 1
      const url = new URL(server.connectionString)
      url.pathname = `/outage_${databases}`
      await query(server.connectionString, `create database outage_${databases}`)
      await migrate(url.href, await readMigrations('sandbox'))
      return { connectionString: url.href, drop: async () => undefined }
    },
    async crash() {
      const { pid } = server
      assert.ok(pid !== undefined)
      process.kill(pid, 'SIGQUIT')
      await waitFor('the server is running again', async () => server.pid !== undefined && server.pid !== pid)
    },
    async stop() {
      await server.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export interface BusyProcess {
  /** References of the events that the process has reported as committed. */
  acknowledged: string[]
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>
}

const script = fileURLToPath(new URL('./busy-process.ts', import.meta.url))

/** Starts a process that writes and delivers events, and waits until it has begun to do so. */
export async function startBusyProcess(t: TestContext, lab: WebhookLab, label: string): Promise<BusyProcess> {
  const { connectionString, key, caller } = lab
  const child = spawn(process.execPath, [script, connectionString, key.toString('hex'), caller.partnerId, label], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    const [code, signal] = await ended
    assert.deepEqual([code, signal], [null, 'SIGKILL'], 'the process ends only when it is killed')
  }
  t.after(() => child.kill('SIGKILL'))
  const acknowledged: string[] = []
  const lines = createInterface({ input: child.stdout })
  await once(lines, 'line')
  lines.on('line', (line) => acknowledged.push(line))
  return { acknowledged, kill }
}

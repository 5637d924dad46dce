import assert from 'node:assert/strict'
import { after, type TestContext, test } from 'node:test'
import { openJobLab, rareJob } from '../app/jobs/scheduler-fixture.ts'
import { waitFor } from '../support/wait-for.ts'
import { type BusyProcess, startBusyProcess, startCrashablePostgres } from './outage-fixture.ts'
import { type Receiver, respondToEvents, startReceiver } from './receiver-fixture.ts'
import { openLab, type WebhookLab } from './webhook-fixture.ts'

const server = await startCrashablePostgres()
after(() => server.stop())

/** Accepts most messages after a moment, responds to some with 500, and drops the connection for some. */
const moody = respondToEvents((_received, response) => {
  const mood = Math.random()
  if (mood < 0.05) return response.destroy()
  response.statusCode = mood < 0.15 ? 500 : 200
  return setTimeout(() => response.end(), 10 * Math.random())
})

interface Scene {
  lab: WebhookLab
  receiver: Receiver
  /** All events that any process reported as committed. */
  acknowledged: string[]
  start(): Promise<BusyProcess>
}

async function openScene(t: TestContext): Promise<Scene> {
  const lab = await openLab(t, await server.createDatabase())
  const receiver = await startReceiver(t, moody)
  await lab.register({ url: `https://receiver.test:${receiver.port}/` })
  const processes: BusyProcess[] = []
  let started = 0
  return {
    lab,
    receiver,
    get acknowledged() {
      return processes.flatMap(({ acknowledged }) => acknowledged)
    },
    async start() {
      started += 1
      const process = await startBusyProcess(t, lab, String(started))
      processes.push(process)
      return process
    },
  }
}

/** Waits until this process has done a random amount of further work. */
async function someMomentOf(process: BusyProcess): Promise<void> {
  const enough = process.acknowledged.length + 40 * Math.random()
  await waitFor('it works', () => process.acknowledged.length > enough)
}

/** Waits until an event written after this moment has arrived, which shows that everything is running again. */
async function recovers({ receiver, lab }: Scene): Promise<void> {
  const before = new Set((await lab.rows('select event_id from events')).map(({ event_id }) => event_id))
  const isLater = () => receiver.events().some(({ message }) => !before.has(message.id))
  await waitFor('later events arrive', isLater)
}

/**
 * Starts one last worker to deliver the remaining events, and compares the events reported as committed with those
 * received.
 */
async function assertNothingLost({ lab, receiver, acknowledged }: Scene): Promise<void> {
  lab.startWorker({ limits: { leaseSeconds: 3 }, retrySeconds: [0.2, 0.2, 0.2] })
  const open = () =>
    lab.rows(`select from events where dispatched_at is null union all select from deliveries where status = 'pending'`)
  await waitFor('nothing is left to be delivered', async () => (await open()).length === 0)

  const committed = await lab.rows(
    `select event_id as id, quote_id as quote, data->>'reference' as reference from events order by event_number`,
  )
  const references = new Set(committed.map(({ reference }) => reference))
  assert.deepEqual(
    acknowledged.filter((reference) => !references.has(reference)),
    [],
    'every acknowledged event is stored',
  )
  const received = receiver.events()
  assert.ok(received.every(({ message, headers }) => message.id === headers['webhook-id']))
  // Each event has one id, however often it was sent. The ids are in the order of first arrivals.
  const firstArrivals = new Map(received.map(({ message }) => [message.id, message.data.reference]))
  assert.equal(new Set(firstArrivals.values()).size, firstArrivals.size)
  const quotes = new Set(committed.map(({ quote }) => quote))
  for (const quote of quotes) {
    const ids = committed.filter((event) => event.quote === quote).map(({ id, reference }) => [id, reference])
    const arrived = [...firstArrivals].filter(([, reference]) => String(reference).startsWith(`${quote} `))
    assert.deepEqual(
      arrived,
      ids,
      'every event has arrived, and the first arrivals are in the order in which the events happened',
    )
  }
  assert.equal(firstArrivals.size, committed.length)
  assert.ok(committed.length > 20, `expected more than 20 committed events, got ${committed.length}`)
}

test('all events arrive, with first arrivals in order, even if processes that write and deliver them are killed at any moment', async (t) => {
  const scene = await openScene(t)
  for (let round = 0; round < 4; round += 1) {
    const process = await scene.start()
    await someMomentOf(process)
    await process.kill()
  }
  await assertNothingLost(scene)
})

test('all events arrive after a crash of PostgreSQL, and the process continues without a restart', async (t) => {
  const scene = await openScene(t)
  const process = await scene.start()
  const listening = () =>
    scene.lab.rows(`select pid from pg_stat_activity where datname = current_database() and query ilike 'listen%'`)
  for (let round = 0; round < 2; round += 1) {
    await someMomentOf(process)
    await server.crash()
    await recovers(scene)
    await waitFor('it listens again', async () => (await listening()).length === 1)
  }
  await process.kill()
  await assertNothingLost(scene)
})

test('after PostgreSQL has crashed, a scheduled job runs again without a restart of its process', async (t) => {
  const lab = await openJobLab(t, await server.createDatabase())
  let runs = 0
  lab.takePart([
    rareJob(async () => {
      runs += 1
    }),
  ])
  await lab.isDeclared('rare')
  for (let round = 1; round <= 2; round += 1) {
    await waitFor('it is due', () => lab.ask('rare'))
    await waitFor('it is run', () => runs === round)
    if (round === 1) await server.crash()
  }
})

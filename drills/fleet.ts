import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { credentials } from '../bench/child-service.ts'
import { ms, whole } from '../bench/markdown-table.ts'
import { percentile } from '../bench/percentile.ts'
import { runSteadyLoad } from '../bench/steady-load.ts'
import { eventTypes } from '../src/events/event.ts'
import { runJourney } from '../src/sandbox/journey/run-journey.ts'
import { Ledger } from '../test/crash/ledger.ts'
import { PersistentPartner } from '../test/crash/persistent-partner.ts'
import {
  findDeliveryFaults,
  findLostWrites,
  findStateFaults,
  readRecordedEvents,
  untilArrived,
} from '../test/crash/verdict.ts'
import { connectPartner, getToken } from '../test/support/client.ts'
import { runCommand } from '../test/support/command-line.ts'
import { findProperty } from '../test/support/household.ts'
import { succeeded } from '../test/support/responses.ts'
import { startReceiver } from '../test/webhooks/receiver-fixture.ts'
import { type Fleet, type Instance, programsOfFleet, startFleet } from './deployed-fleet.ts'
import { type Drill, type DrillReport, runDrill } from './drill.ts'
import { startHouseholdTraffic } from './household-traffic.ts'
import { RetryingPartner } from './retrying-partner.ts'

/*
 * `npm run drill:fleet`: three instances behind nginx, under load, are killed one after another and then replaced one
 * after another.
 */

const instanceCount = 3
/** How often each instance is killed. */
const killRounds = 2
/** So long that a request which one kill broke has been repeated before the next. */
const betweenKillsMs = 12_000
/** How many households are on their way at a time, and how many others only read. */
const lanes = { households: 4, readers: 2 }
/** nginx tries an instance that it could not reach again after `fail_timeout`, two seconds in deploy/. */
const nginxForgetsMs = 3_000
/** Most that one process sends to one webhook at a time: what it may have sent, and not recorded, when it is killed. */
const deliveriesInHand = 16
/** nginx asks to wait two seconds, and a key's claim ends 15 seconds after its process died. The rest is a busy machine's. */
const longestWaitMs = 30_000
/** How long an instance hangs, and most that a read may take meanwhile: nginx waits three seconds, then asks the next one. */
const hang = { seconds: 30, longestReadMs: 5_000, readsPerSecond: 10 }
const limit = { perSecond: 100, sentPerSecond: 250, seconds: 12, tolerance: 0.02 }

async function drillFleet(drill: Drill): Promise<DrillReport> {
  const fleet = await startFleet(drill, instanceCount)
  const [spareAtFirst = 0, ...ports] = fleet.ports
  const running: Instance[] = []
  // The first one migrates.
  for (const port of ports) running.push(await fleet.start(port))
  await watchJobs(fleet.connectionString)
  drill.say(`${instanceCount} instances behind nginx`)

  const receiver = await startReceiver({ after: (stop) => drill.atEnd(async () => (stop as () => unknown)()) })
  const connected = await connectPartner(fleet.url, credentials)
  succeeded(await connected.post('/Webhooks', { url: `https://localhost:${receiver.port}/`, events: eventTypes }))
  await walk(drill, fleet)

  const ledger = new Ledger(join(drill.folder, 'acknowledged.jsonl'))
  const partner = new RetryingPartner(fleet.url, connected.token, ledger)
  const traffic = startHouseholdTraffic(partner, {
    addressUid: await findProperty(connected, 'NR4 7TJ'),
    lanes,
    async read(quoteId) {
      await partner.get('/Quotes?limit=10')
      await partner.get('/Addresses/lookup?postcode=NR47TJ')
      if (quoteId !== undefined) await partner.get(`/Quotes/${quoteId}`)
    },
  })
  const startTimes = running.map(({ readyAfterMs }) => readyAfterMs)
  for (let round = 0; round < killRounds; round += 1)
    for (const [index, instance] of running.entries()) {
      await sleep(betweenKillsMs + Math.random() * 2_000)
      const again = await killAndRestart(drill, fleet, instance)
      running[index] = again
      startTimes.push(again.readyAfterMs)
    }
  await sleep(3_000)
  const beforeRolling = failuresOf(partner)
  let spare = spareAtFirst
  for (const old of running) {
    const fresh = await fleet.start(spare)
    startTimes.push(fresh.readyAfterMs)
    // By then nginx has tried its port again.
    await sleep(nginxForgetsMs)
    await old.stop()
    spare = old.port
    drill.say(`replaced the instance on port ${old.port}`)
  }
  await sleep(2_000)
  const whileRolling = failuresOf(partner) - beforeRolling
  await traffic.end()
  const { journeys, faults } = traffic
  await walk(drill, fleet)

  const own = await readRecordedEvents(fleet.connectionString)
  await untilArrived(() => new Set(receiver.events().map(({ message }) => message.id)).size, own.length)
  const lost = await findLostWrites(new PersistentPartner(fleet.url, connected.token, ledger), ledger)
  drill.say(`${ledger.acknowledged.length} acknowledged writes read back`)
  const stateFaults = await findStateFaults(fleet.connectionString, journeys, 2)
  const deliveryFaults = findDeliveryFaults(own, receiver.events())
  const limited = await measureLimit(fleet)
  const jobs = await readJobs(fleet.connectionString)
  const passedOn = await fleet.countPassedOn()
  const errors = await fleet.readErrors()
  const hung = await readWhileOneHangs(fleet, running[0], connected.token)
  for (const each of [...faults, ...stateFaults, ...deliveryFaults, ...partner.unmended, ...errors.slice(0, 5)])
    console.error(each)

  const kills = killRounds * instanceCount
  const again = receiver.events().length - own.length
  const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`
  const failed = [...partner.failures].map(([how, count]) => `${count} × ${how}`).join(', ')
  return {
    text: `Three instances on one PostgreSQL behind PgBouncer (session mode), with nginx as in \`deploy/\`. Four households at a time
go from quote to contract, beside readers: ${whole(partner.times.length)} requests, ${ms(percentile(partner.times, 50))} at the median and ${ms(percentile(partner.times, 99))} at
the 99th percentile. Meanwhile ${kills} instances were killed with \`kill -9\`, one after another, and started again three seconds later; then each
was replaced: the new one was started at a port that nginx had found empty so far, and the old one got SIGTERM. A start took ${seconds(percentile(startTimes, 50))} at
the median. nginx sent ${whole(passedOn)} requests to a second instance. ${partner.waits} responses asked to wait, for a key that a killed instance had claimed.`,
    findings: [
      finding('requests that failed', failed || 'none', 'mended by one repetition', partner.unmended.length === 0),
      finding(
        'the longest that a request took, with its repetition',
        seconds(Math.max(...partner.times)),
        `at most ${seconds(longestWaitMs)}`,
        Math.max(...partner.times) <= longestWaitMs,
      ),
      count('requests that failed while instances were replaced', whileRolling),
      count(`of ${whole(journeys.length)} households, not completed`, faults.length),
      count(`of ${whole(ledger.acknowledged.length)} acknowledged writes, lost`, lost.length),
      count('contradictions in the database', stateFaults.length),
      count(`of ${whole(own.length)} events, missing or out of order at the receiver`, deliveryFaults.length),
      finding(
        `the longest of ${whole(hung.reads)} reads while an instance hung for ${hang.seconds} s`,
        seconds(hung.longestMs),
        `at most ${seconds(hang.longestReadMs)}`,
        hung.longestMs <= hang.longestReadMs,
      ),
      count('of those reads, failed', hung.failed),
      finding(
        'deliveries that came twice, with the same `webhook-id`',
        String(again),
        `at most ${deliveriesInHand} for each kill`,
        again <= deliveriesInHand * kills,
      ),
      finding(
        `calls that a limit of ${limit.perSecond} a second let through in ${limited.windows} s, of ${limit.sentPerSecond} sent in each`,
        whole(limited.accepted),
        `${whole(limited.expected)} ± ${limit.tolerance * 100} %`,
        Math.abs(limited.accepted / limited.expected - 1) <= limit.tolerance,
      ),
      count(
        `of ${jobs.runs} runs of scheduled jobs by ${jobs.processes} processes, begun before another's had ended`,
        jobs.overlapping,
      ),
      count('scheduled jobs that succeeded twice for one time', jobs.repeated),
      count('errors in the logs of the instances', errors.length),
    ],
  }
}

const finding = (what: string, found: string, wanted: string, isMet: boolean) => ({ what, found, wanted, isMet })
const count = (what: string, found: number) => finding(what, whole(found), '0', found === 0)
const failuresOf = ({ failures }: RetryingPartner) => [...failures.values()].reduce((sum, each) => sum + each, 0)

/** The partner's program of `housebill journey`, which checks every response and figure. */
async function walk(drill: Drill, { url }: Fleet): Promise<void> {
  const options = { ...credentials, baseUrl: url, postcode: 'LS2 9JT', tenants: 2, broadband: true }
  const listener = { onStep: () => undefined, onTenant: () => undefined }
  const { outcome } = await runJourney({ ...options, out: join(drill.folder, 'contracts') }, listener)
  drill.say(`journey ${outcome}`)
}

async function killAndRestart(drill: Drill, fleet: Fleet, instance: Instance): Promise<Instance> {
  process.kill(instance.processId, 'SIGKILL')
  await sleep(3_000)
  const again = await fleet.start(instance.port)
  drill.say(`killed the instance on port ${instance.port}; it is back`)
  return again
}

/** Reads through nginx while one of the instances accepts connections and does nothing else. */
async function readWhileOneHangs(fleet: Fleet, instance: Instance | undefined, token: string) {
  if (instance === undefined) throw new Error('no instance is running')
  const headers = { authorization: `Bearer ${token}` }
  let [reads, longestMs] = [0, 0]
  process.kill(instance.processId, 'SIGSTOP')
  try {
    const { errors } = await runSteadyLoad(hang.readsPerSecond, hang.seconds, async () => {
      const began = performance.now()
      const response = await fetch(`${fleet.url}/partner-api/Quotes?limit=10`, { headers })
      await response.arrayBuffer()
      longestMs = Math.max(longestMs, performance.now() - began)
      reads += 1
      if (response.status !== 200) throw new Error(`a read got ${response.status}`)
    })
    return { reads, longestMs, failed: errors }
  } finally {
    process.kill(instance.processId, 'SIGCONT')
  }
}

/** Sends more calls than a partner's limit allows, and counts those that were let through. */
async function measureLimit(fleet: Fleet) {
  const { environment } = fleet
  const issued = await housebill<Issued>(environment, 'partner', 'create', '--name', 'Limited')
  const office = await housebill<Issued>(
    environment,
    'operator',
    'create',
    '--name',
    'Drill',
    '--scopes',
    'partners:write',
  )
  const asOffice = { ...environment, OPERATOR_CLIENT_ID: office.clientId, OPERATOR_CLIENT_SECRET: office.clientSecret }
  const change = ['--partnerId', issued.partnerId, '--requestsPerSecond', `${limit.perSecond}`]
  await housebill(asOffice, 'call', 'changePartner', ...change)
  // All instances follow within two seconds.
  await sleep(2_500)
  const headers = { authorization: `Bearer ${await getToken(fleet.url, issued)}` }
  let accepted = 0
  let whenLastWindowBegan = { accepted: 0, windows: 0 }
  const { errors } = await runSteadyLoad(limit.sentPerSecond, limit.seconds, async () => {
    const response = await fetch(`${fleet.url}/partner-api/Quotes/quoting-tool-versions`, { headers })
    await response.arrayBuffer()
    if (response.status === 429) return
    if (response.status !== 200) throw new Error(`the limited partner got ${response.status}`)
    const remaining = Number(/"default";r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
    if (remaining === limit.perSecond - 1) whenLastWindowBegan = { accepted, windows: whenLastWindowBegan.windows + 1 }
    accepted += 1
  })
  if (errors > 0) throw new Error(`${errors} of the limited partner's calls failed`)
  // The last window may have been cut short. A window is a second that begins with a call, whichever instance gets it.
  const windows = whenLastWindowBegan.windows - 1
  return { accepted: whenLastWindowBegan.accepted, windows, expected: windows * limit.perSecond }
}

interface Issued {
  partnerId: string
  clientId: string
  clientSecret: string
}

/** Runs `housebill …` as the operator does beside the instances. */
async function housebill<Printed>(environment: Fleet['environment'], ...args: string[]): Promise<Printed> {
  const { code, stdout, stderr } = await runCommand([...args, '--json'], environment)
  if (code !== 0) throw new Error(`housebill ${args.join(' ')}: ${stdout}${stderr}`)
  return JSON.parse(stdout) as Printed
}

/** Writes down who takes and ends each run of a scheduled job, from now on. */
async function watchJobs(connectionString: string): Promise<void> {
  await query(
    connectionString,
    `create schema drill;
     create table drill.runs (at timestamptz not null, name text not null, due_at timestamptz not null,
       was_runner uuid, was_leased_until timestamptz, runner uuid, has_succeeded boolean not null);
     create function drill.watch() returns trigger language plpgsql security definer as $$
       begin
         insert into drill.runs values (clock_timestamp(), old.name, old.due_at, old.runner, old.leased_until, new.runner,
           new.succeeded_at is distinct from old.succeeded_at);
         return null;
       end $$;
     grant usage on schema drill to public;
     create trigger drill after update on public.scheduled_jobs for each row
       when (new.runner is distinct from old.runner) execute function drill.watch();`,
  )
}

async function readJobs(connectionString: string) {
  const [row] = await query<{ runs: number; processes: number; overlapping: number; repeated: number }>(
    connectionString,
    `select (count(*) filter (where runner is not null))::int as runs,
            count(distinct runner)::int as processes,
            (count(*) filter (where runner is not null and was_runner is not null and was_leased_until > at))::int
              as overlapping,
            (count(*) filter (where has_succeeded)
              - count(distinct (name, due_at)) filter (where has_succeeded))::int as repeated
       from drill.runs`,
  )
  if (row === undefined) throw new Error('no count')
  return row
}

async function query<Row extends object>(connectionString: string, text: string): Promise<Row[]> {
  const client = new Client({ connectionString })
  await client.connect()
  return client
    .query<Row>(text)
    .then(({ rows }) => rows)
    .finally(() => client.end())
}

await runDrill(
  { title: 'Fleet', command: 'npm run drill:fleet', maxMinutes: 11, programs: programsOfFleet },
  drillFleet,
)

import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { credentials } from '../bench/child-service.ts'
import { whole } from '../bench/markdown-table.ts'
import { type MeasuredService, startMeasuredService } from '../bench/measured-service.ts'
import { percentile } from '../bench/percentile.ts'
import { residentMemory } from '../bench/resident-memory.ts'
import type { Call } from '../clients/typescript/src/call.ts'
import { searchOf } from '../clients/typescript/src/exchange.ts'
import { Operations } from '../clients/typescript/src/operations.ts'
import { inventDetails, onboardCustomer, startHousehold } from '../clients/typescript/src/sandbox-household.ts'
import { eventTypes } from '../src/events/event.ts'
import { getToken } from '../test/support/client.ts'
import { waitFor } from '../test/support/wait-for.ts'
import { receiverCertificate, receiverKey } from '../test/webhooks/receiver-fixture.ts'
import { type Curve, curvesPicture, riseAtTheEnd } from './curves.ts'
import { type Drill, type DrillReport, runDrill } from './drill.ts'
import { RetryingPartner } from './retrying-partner.ts'

/*
 * `npm run drill:soak -- --minutes N`: one service under a steady mix in which much goes wrong, for so long. Whatever is
 * sampled must not rise in the last two thirds of the time. Only on Linux.
 */

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '60' } } })
const minutes = Number(values.minutes)
if (!(minutes >= 1 && minutes <= 600)) throw new Error('usage: npm run drill:soak -- --minutes 1…600')

const sampleEveryMs = 10_000
const [householdEveryMs, readEveryMs] = [1_500, 100]
/** How long prices are valid, and how long a household has to sign. Both end often while the drill runs. */
const validSeconds = 60
/** A household that was slower than that, as on a busy machine. */
const tooLate = /"code":"quote_expired"/
const homes = 40
const picture = new URL('../docs/pictures/soak.svg', import.meta.url)

/** How each household ends. Many never sign, and of some only a part does. */
const endings = ['signed', 'expired', 'half signed', 'signed', 'cancelled', 'expired', 'half signed'] as const

/** What is sampled, and how much it may rise: by a share, or by so much if that is more. */
const measures = [
  { name: 'memory of the service', unit: 'MiB', share: 0.1, least: 10 },
  { name: 'memory of PostgreSQL, without its cache', unit: 'MiB', share: 0.1, least: 10 },
  { name: 'response, median', unit: 'ms', share: 0.25, least: 3 },
  { name: 'response, 95th percentile', unit: 'ms', share: 0.25, least: 20 },
  { name: 'event loop, 99th percentile of the delay', unit: 'ms', share: 0.25, least: 10 },
  { name: 'connections to PostgreSQL', unit: '', share: 0, least: 1 },
  { name: 'timers and sockets of the service', unit: '', share: 0.1, least: 5 },
  { name: 'open files of the service', unit: '', share: 0.1, least: 5 },
  { name: 'deliveries that are waiting', unit: '', share: 0.25, least: 100 },
  { name: 'the oldest delivery that is due', unit: 's', share: 0.25, least: 5 },
] as const
type Sample = readonly number[]

async function drillSoak(drill: Drill): Promise<DrillReport> {
  const service = await startMeasuredService(drill, {
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    WEBHOOK_REQUIRE_VERIFICATION: 'false',
    WEBHOOK_RETRY_SECONDS: '5,30,60',
    QUOTE_VALIDITY_SECONDS: String(validSeconds),
  })
  const receivers = await startReceivers(drill)
  const partner = new RetryingPartner(service.url, await getToken(service.url, credentials), { write: () => undefined })
  const client = new KeyedClient(partner)
  for (const url of receivers.urls) await client.createWebhook({ url, events: eventTypes })
  drill.say(`one service for ${minutes} minutes`)

  const traffic = startTraffic(client)
  const samples: Sample[] = []
  const endAt = performance.now() + minutes * 60_000
  while (performance.now() < endAt) {
    const seen = partner.times.length
    await sleep(sampleEveryMs)
    samples.push(await takeSample(service, partner.times.slice(seen)))
    if (samples.length % 6 === 0)
      drill.say(
        samples
          .at(-1)
          ?.map((value) => value.toFixed(0))
          .join(' ') ?? '',
      )
  }
  const { households, faults } = await traffic.end()
  for (const fault of faults.slice(0, 10)) console.error(fault)
  const countEvents = async () => {
    const { rows } = await service.pool.query<{ events: number }>('select count(*)::int as events from events')
    return rows[0]?.events ?? 0
  }
  const events = await waitFor('all events have arrived', countEvents, (count) => receivers.arrived() >= count)

  const curves = measures.map(
    (measure, index): Curve => ({ ...measure, values: samples.map((row) => row[index] ?? 0) }),
  )
  await writeFile(picture, curvesPicture(`${minutes} minutes`, curves))
  const failed = [...partner.failures].map(([how, count]) => `${whole(count)} × ${how}`).join(', ') || 'none'
  return {
    text: `A service with the PostgreSQL from npm. A household begins every ${householdEveryMs / 1_000} s: of seven, two sign, two sign in part, two let their quote expire, one
cancels; prices last ${validSeconds} s. Meanwhile a partner reads ten times a second, the broadband upstreams fail for a third of the time and the
payment processor for three seconds a minute, and of four receivers of webhooks one works, one fails and one hangs for a while in every two
minutes, and one always fails. ${whole(households)} households, ${whole(partner.times.length)} requests; failed before they were repeated: ${failed}.

Wanted is that nothing rises in the last two thirds of the time, by a straight line through the samples of every ten seconds.

![Ten curves over the time of the drill](../pictures/soak.svg)`,
    findings: [
      ...measures.map(({ name, unit, share, least }, index) => {
        const { level, rise } = riseAtTheEnd(samples.map((row) => row[index] ?? 0))
        const allowed = Math.max(share * level, least)
        return {
          what: name,
          found: `${level.toFixed(0)}${unit && ` ${unit}`}, ${rise < 0 ? '−' : '+'} ${Math.abs(rise).toFixed(1)}`,
          wanted: `at most + ${allowed.toFixed(0)}`,
          isMet: rise <= allowed,
        }
      }),
      {
        what: `of ${whole(events)} events, missing at the receiver that works`,
        found: String(Math.max(0, events - receivers.arrived())),
        wanted: '0',
        isMet: receivers.arrived() >= events,
      },
      {
        what: `of ${whole(households)} households, ended by an unexpected response`,
        found: String(faults.length),
        wanted: '0',
        isMet: faults.length === 0,
      },
    ],
  }
}

/** Sends every call as a partner's program that repeats what failed, and every write with a key of its own. */
class KeyedClient extends Operations {
  readonly #partner: RetryingPartner

  constructor(partner: RetryingPartner) {
    super()
    this.#partner = partner
  }

  protected async send<Response>({ method, path, query, body }: Call): Promise<Response> {
    const short = `${path.replace('/partner-api', '')}${searchOf(query)}`
    const found = method === 'GET' ? this.#partner.get(short) : this.#partner.post(randomUUID(), short, body)
    // Safe: the types of the client and of the service are made from the same document.
    return (await found) as Response
  }
}

function startTraffic(client: KeyedClient) {
  const faults: string[] = []
  const underWay = new Set<Promise<void>>()
  const quotes: string[] = []
  let households = 0
  let ticks = 0
  let isOver = false
  const attempt = (work: () => Promise<unknown>) => {
    const one: Promise<void> = work().then(
      () => void underWay.delete(one),
      (error: unknown) => {
        underWay.delete(one)
        if (!tooLate.test(String(error))) faults.push(String(error))
      },
    )
    underWay.add(one)
  }
  let addresses: readonly string[] = []
  const every = (ms: number, work: () => Promise<unknown>) => setInterval(() => attempt(work), ms)
  const timers = [
    every(householdEveryMs, async () => {
      if (addresses.length === 0) addresses = await findHomes(client)
      households += 1
      const quoteId = await live(client, addresses[households % addresses.length] ?? '', households)
      quotes.push(quoteId)
    }),
    every(readEveryMs, async () => {
      ticks += 1
      const [first, last] = [quotes[0], quotes.at(-1)]
      if (ticks % 3 === 0) await client.lookupAddresses({ postcode: 'LS2 9JT' })
      // Prices an expired quote again.
      else if (first !== undefined && ticks % 30 === 1) await client.getQuoteTotalCost(first)
      else if (last !== undefined) await client.getQuote(last)
      if (quotes.length > 100) quotes.shift()
    }),
    every(60_000, () => failUpstreams(client, addresses, () => isOver)),
  ]
  return {
    async end() {
      isOver = true
      for (const timer of timers) clearInterval(timer)
      await Promise.all(underWay)
      return { households, faults }
    },
  }
}

async function findHomes(client: KeyedClient): Promise<string[]> {
  const found = await Promise.all(
    ['LS2 9JT', 'NR4 7TJ', 'CF10 3AT'].map((postcode) => client.lookupAddresses({ postcode })),
  )
  return found
    .flat()
    .slice(0, homes)
    .map(({ addressUid }) => addressUid)
}

/** One household, up to its ending. Returns its quote. */
async function live(client: KeyedClient, addressUid: string, number: number): Promise<string> {
  const ending = endings[number % endings.length]
  const tenants = 2 + (number % 2)
  const household = await startHousehold(client, { addressUid, packages: ['electricity', 'gas'], tenants })
  const { quoteId, customerIds } = household
  await client.getQuoteTotalCost(quoteId)
  // Fails in part while an upstream does.
  await client.runBroadbandAvailabilityCheck(addressUid)
  if (ending === 'cancelled') await client.cancelQuote(quoteId)
  if (ending === 'expired' || ending === 'cancelled') return quoteId
  const signing = household.tenants.slice(0, ending === 'half signed' ? 1 : tenants)
  for (const [index, tenant] of signing.entries()) {
    const customerId = customerIds[index] ?? ''
    await onboardCustomer(client, customerId, 'contract', inventDetails(tenant))
    await client.getPciContractUrlPdf(customerId)
  }
  return quoteId
}

const outcomes = ['down', 'wrong-shape', 'slow', 'rate-limited', 'not-json'] as const

/** In each minute: the broadband upstreams for half the homes for twenty seconds, the payment processor for three. */
async function failUpstreams(client: KeyedClient, addresses: readonly string[], isOver: () => boolean): Promise<void> {
  const outcome = outcomes[Math.floor(Math.random() * outcomes.length)] ?? 'down'
  const affected = addresses.filter((_, index) => index % 2 === 0)
  const steer = async (how: typeof outcome | 'ok') => {
    for (const addressUid of affected)
      await client.sandboxSteerBroadband(addressUid, {
        homeTelecom: { outcome: how },
        broadbandDatabase: { outcome: how },
      })
  }
  await steer(outcome)
  await client.sandboxSteerProcessorOutage({ down: true })
  await sleep(3_000)
  await client.sandboxSteerProcessorOutage({ down: false })
  if (!isOver()) await sleep(17_000)
  await steer('ok')
}

/**
 * Four receivers. The first answers at once; the second fails for thirty seconds in two minutes; the third does not
 * answer for twenty; the fourth always fails.
 */
async function startReceivers(drill: Drill): Promise<{ urls: string[]; arrived(): number }> {
  const arrived = new Set<string>()
  const second = () => (Date.now() / 1_000) % 120
  const reply = (response: ServerResponse, status: number) => response.writeHead(status).end()
  const behaviours: ((response: ServerResponse, id: string) => unknown)[] = [
    (response, id) => {
      arrived.add(id)
      reply(response, 204)
    },
    (response) => reply(response, second() < 30 ? 500 : 204),
    (response) => (second() >= 60 && second() < 80 ? undefined : reply(response, 204)),
    (response) => reply(response, 500),
  ]
  const urls: string[] = []
  for (const behave of behaviours) {
    const server = createServer({ key: receiverKey, cert: receiverCertificate }, (request, response) => {
      request.resume().on('end', () => behave(response, String(request.headers['webhook-id'])))
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
    drill.atEnd(async () => {
      server.close()
      server.closeAllConnections()
    })
    urls.push(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`)
  }
  return { urls, arrived: () => arrived.size }
}

/** In the order of `measures`. */
async function takeSample(service: MeasuredService, times: readonly number[]): Promise<Sample> {
  const page = await (await fetch(`${service.url}/metrics`)).text()
  const metric = (name: string) => {
    const line = page.split('\n').find((each) => each.startsWith(`${name} `))
    if (line === undefined) throw new Error(`/metrics has no ${name}`)
    return Number(line.slice(name.length + 1))
  }
  const { rows } = await service.pool.query<{ connections: number; waiting: number }>(
    `select (select count(*)::int from pg_stat_activity where backend_type = 'client backend') as connections,
            (select count(*)::int from delivery_queue) as waiting`,
  )
  const { connections = 0, waiting = 0 } = rows[0] ?? {}
  const memory = residentMemory(service)
  return [
    memory.service,
    memory.postgres,
    percentile(times, 50),
    percentile(times, 95),
    metric('nodejs_eventloop_lag_p99_seconds') * 1_000,
    connections,
    metric('nodejs_active_resources_total'),
    metric('process_open_fds'),
    waiting,
    metric('housebill_webhook_oldest_wait_seconds{state="due"}'),
  ]
}

await runDrill(
  { title: 'Soak', command: `npm run drill:soak -- --minutes ${minutes}`, maxMinutes: minutes + 5 },
  drillSoak,
)

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import type { Static } from 'typebox'
import { countFunnel } from '../../src/domain/reports/count-funnel.ts'
import type { FunnelObject } from '../../src/http/operator/wire/funnel.ts'
import { withClient } from '../isolation/owned-tables.ts'
import { campaignSeed, wholeNumberFromEnv } from '../support/campaign-size.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { openDatabases } from '../support/databases.ts'
import { addTenants, attachCard, finalise, sampleTenants } from '../support/household.ts'
import { loopbackOnlyEnvironment } from '../support/loopback-only.ts'
import { connectOperator, type Operator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { count, countNaively } from './naive-funnel.ts'

type Funnel = Static<typeof FunnelObject>

const service = await startTestService()
after(() => service.stop())
let operator: Operator
let partners: Partner[]
before(async () => {
  operator = await connectOperator(service)
  partners = [await connectNewPartner(service), await connectNewPartner(service)]
})

async function readReport(): Promise<{ asOf: string | null; data: unknown[] }> {
  const page = succeeded(await operator.get<Funnel>('/Reports/funnel?limit=500'))
  const ahead = succeeded(
    await operator.get<Funnel>(`/Reports/funnel?limit=500&from=${nextDay(page.to)}&to=${nextDay(page.to, 366)}`),
  )
  return { asOf: page.asOf, data: [...page.data, ...ahead.data].map(({ partnerName: _, ...counts }) => counts) }
}

const nextDay = (day: string, days = 1) => new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10)

async function assertReportIsExact(): Promise<void> {
  assert.deepEqual((await readReport()).data, await countNaively(service))
}

const deeds = [
  'create',
  'add',
  'remove',
  'finalise',
  'attach',
  'accept',
  'cancel',
  'reopen',
  'expire',
  'leave',
  'pass-days',
  'count',
] as const
type Deed = (typeof deeds)[number]

/** A quote that a run uses, with everybody who was ever on it. */
interface Household {
  partner: Partner
  quoteId: string
  tenants: string[]
}

/** Does something with a quote, if its state allows it; what is rejected changes nothing. */
async function act(deed: Deed, households: Household[], which: number): Promise<void> {
  const household = households[which % Math.max(1, households.length)]
  if (deed === 'count') return count(service)
  if (deed === 'create' || household === undefined) {
    const partner = partners[which % 2]
    if (partner === undefined) throw new Error('there are two partners')
    const { quoteId } = await createQuote(partner, which % 3 === 0 ? {} : { packages: ['electricity'] })
    households.push({ partner, quoteId, tenants: [] })
    return
  }
  const { partner, quoteId, tenants } = household
  const tenant = tenants[which % Math.max(1, tenants.length)]
  if (deed === 'pass-days') return advanceClock(partner, { days: 1 + (which % 20) })
  if (deed === 'add') {
    const before = tenants.length
    const added = await addTenants(partner, quoteId, sampleTenants(1 + (which % 2), before + 1)).catch(() => [])
    tenants.push(...added)
    return
  }
  if (deed === 'cancel' || deed === 'reopen') return void (await partner.post(`/Quotes/${quoteId}/${deed}`))
  if (deed === 'expire') return void (await partner.post(`/Sandbox/quotes/${quoteId}/expire`))
  if (tenant === undefined) return
  if (deed === 'remove') return void (await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [tenant] }))
  if (deed === 'finalise') return void (await finalise(partner, tenant, { supplyDuringCancellation: true }))
  if (deed === 'attach') return void (await attachCard(partner, tenant).catch(() => undefined))
  await partner.post(`/Customers/${tenant}/${deed === 'accept' ? 'accept-terms' : 'cancel-contract'}`)
}

/** Takes all tenants of the quote on, as far as its state allows. */
async function takeOn(households: Household[], which: number): Promise<void> {
  for (const deed of ['add', 'finalise', 'attach', 'accept'] as const) await act(deed, households, which)
}

test('after any activity, with counts in between, the report equals a recount of the tables', async (t) => {
  const seed = campaignSeed()
  const numRuns = wholeNumberFromEnv('RUNS') ?? 12
  t.diagnostic(`SEED=${seed} RUNS=${numRuns}`)
  const step = fc.record({ deed: fc.constantFrom(...deeds, 'take-on' as const), which: fc.nat({ max: 50 }) })
  const reached = { card: 0, accepted: 0, inForce: 0 }
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async (steps) => {
      const households: Household[] = []
      for (const { deed, which } of steps)
        if (deed === 'take-on') await takeOn(households, which)
        else await act(deed, households, which)
      await count(service)
      await assertReportIsExact()
    }),
    { seed, numRuns, endOnFailure: true },
  )
  for (const day of await countNaively(service)) {
    reached.card += day.card
    reached.accepted += day.accepted
    reached.inForce += day.inForce
  }
  t.diagnostic(JSON.stringify(reached))
  assert.ok(reached.card > 0 && reached.accepted > 0 && reached.inForce > 0, 'the runs reach the last stage')
})

test('counts that run at the same time, also from scratch, leave what the last one saw', async () => {
  const households: Household[] = []
  for (let round = 0; round < 6; round++) {
    const counting = [count(service), count(service, { everything: true }), count(service)]
    await act('create', households, round)
    await takeOn(households, round)
    await Promise.all(counting)
  }
  await Promise.all([count(service), count(service, { everything: true }), count(service)])
  await assertReportIsExact()
})

test('a change that commits after later ones have been counted is counted next', async () => {
  const partner = partners[0] ?? assert.fail()
  const { quoteId } = await createQuote(partner)
  await count(service)
  await withClient(service.connectionString, async (client) => {
    await client.query('begin')
    await client.query(`update quotes set price = '{"totalCost": 1}' where quote_id = $1`, [quoteId])
    await createQuote(partner, { packages: ['gas'] })
    await count(service)
    await assertReportIsExact()
    await count(service)
    await client.query('commit')
  })
  await count(service)
  await assertReportIsExact()
})

test('a count that is stopped or fails loses nothing, and the time of the report does not move', async () => {
  const households: Household[] = []
  for (const which of [0, 1]) await act('create', households, which)
  const { asOf } = await readReport()
  const databases = await openDatabases(service.connectionString)
  const failing = { ...databases, forPartner: () => assert.fail('the partner cannot be reached') }
  await assert.rejects(countFunnel({ databases: failing, signal: new AbortController().signal }), /cannot be reached/)
  await countFunnel({ databases, signal: AbortSignal.abort() })
  await countFunnel({ databases, signal: AbortSignal.abort() }, { everything: true })
  assert.equal((await readReport()).asOf, asOf)
  await count(service)
  await assertReportIsExact()
  assert.ok(String((await readReport()).asOf) > String(asOf))
})

test('a counting process that is killed again and again leaves a report that the next count makes exact', async () => {
  const households: Household[] = []
  const program = fileURLToPath(new URL('counting-process.ts', import.meta.url))
  for (let round = 1; round <= 4; round++) {
    const child = spawn(process.execPath, [program, service.connectionString], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...loopbackOnlyEnvironment },
    })
    let counts = 0
    for await (const _ of createInterface(child.stdout)) {
      await act('create', households, round)
      await takeOn(households, round)
      counts += 1
      if (counts === round * 2) {
        child.kill('SIGKILL')
        break
      }
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    await count(service)
    await assertReportIsExact()
  }
})

test('after a restore, whose transactions are numbered anew, everything is counted again', async () => {
  await rawRows(service, 'update funnel_days set quotes = 7, value_pence = 1')
  await rawRows(service, `update funnel_progress set epoch = 'before', counted_below = '9000000000000000000'`)
  await count(service)
  await assertReportIsExact()
})

test('thousands of transactions are followed in several steps, to the last', async () => {
  const { quoteId } = await createQuote(partners[0] ?? assert.fail())
  await count(service)
  await withClient(service.connectionString, (client) =>
    client.query(`do $$ begin for change in 1..5100 loop
      update quotes set bedrooms = 1 + change % 5 where quote_id = '${quoteId}'; commit; end loop; end $$`),
  )
  await createQuote(partners[1] ?? assert.fail())
  await count(service)
  await assertReportIsExact()
})

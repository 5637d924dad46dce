import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { type Operation, operations } from './document.ts'
import { asCurl, connectClient, fillInRequest, type Outcome, type SentRequest } from './exchange.ts'
import { type HouseholdPool, prepareHouseholds, type State, states, statesMetBy, unknownIds } from './households.ts'
import { judge } from './judgement.ts'
import { type RequestPlan, requestsFor } from './request-plan.ts'
import { startServiceUnderFuzz } from './service-under-fuzz.ts'

const concurrency = 16
/** The campaign stops after this many findings, because further ones would only repeat the same faults. */
const mostFindings = 25

/**
 * These operations cause failures or delete everything, so a separate partner calls them, and no other requests use
 * that partner.
 */
const steering = /^sandbox(?:Steer|CreateFault|ClearFaults|Reset)/

/** With at least this many requests, every operation is sent several times in every state. */
const enoughForAllStates = 10_000

test('every operation responds as documented to odd and broken requests in every state', async (t) => {
  const seed = campaignSeed()
  const requests = wholeNumberFromEnv('REQUESTS') ?? (isFullSize ? 20_000 : 1_100)
  const only = wholeNumberFromEnv('ONLY')
  t.diagnostic(`SEED=${seed} REQUESTS=${requests}`)
  const service = await startServiceUnderFuzz()
  t.after(() => service.stop())
  const pools = await Promise.all(
    service.tokens.map((token, index) =>
      prepareHouseholds(service, { token, clockMoves: index === service.tokens.length - 2 }),
    ),
  )
  const client = connectClient(service.baseUrl, concurrency)
  t.after(() => client.close())
  const plans = new Map(operations.map((operation) => [operation, requestsFor(operation)]))
  const findings: string[] = []
  const statuses: Record<string, number> = {}
  /** `operation, when state` for every request about a household that no earlier request had changed. */
  const met = new Set<string>()

  /** Each request is determined by the seed and its number alone. */
  async function sendOne(number: number): Promise<void> {
    const { operation, state, ownNumber, stray } = lotOf(number)
    const arbitrary = plans.get(operation)
    if (arbitrary === undefined) throw new Error(`${operation.operationId} has no requests`)
    // Chance alone leaves out some combination of operation and state in one campaign of ten.
    const mustBeOwn = ownNumber === firstAsPrepared && operation.idOf !== undefined
    const possible = mustBeOwn ? arbitrary.filter(({ whose }) => whose === 'own') : arbitrary
    const [plan] = fc.sample(possible, { seed: seed * 1_000_003 + number, numRuns: 1 })
    if (plan === undefined) throw new Error('fast-check generated nothing')
    const { request, target } = await aim(pools, { plan, state, ownNumber, stray })
    const wasAsPrepared = target.isAsPrepared
    const outcome = await client.send(request)
    if ('status' in outcome && outcome.status === 200 && request.method !== 'GET') target.isAsPrepared = false
    const status = 'status' in outcome ? outcome.status : 'none'
    statuses[status] = (statuses[status] ?? 0) + 1
    if (wasAsPrepared && plan.whose === 'own' && operation.idOf !== undefined)
      met.add(`${operation.operationId}, when ${target.state}`)
    const complaints = judge(request, outcome)
    if (complaints.length > 0)
      findings.push(
        [
          `\nrequest ${number}, to a household "${target.state}": ${complaints.join('; ')}`,
          `  answered: ${shown(outcome)}`,
          `  again:    SEED=${seed} ONLY=${number} node scripts/tests.ts test/fuzz/campaign.full.test.ts`,
          `  by hand:  ${asCurl(request)}`,
        ].join('\n'),
      )
  }

  const end = only === undefined ? requests : only + 1
  let next = only ?? 0
  const workers = Array.from({ length: concurrency }, async () => {
    while (next < end && findings.length < mostFindings) {
      next += 1
      await sendOne(next - 1)
    }
  })
  await Promise.all(workers)
  t.diagnostic(`${met.size} combinations of operation and state; responses by status: ${JSON.stringify(statuses)}`)
  assert.deepEqual(findings, [], findings.join('\n'))
  if (only !== undefined || next < enoughForAllStates) return
  // Every operation that takes a quote's or customer's id is sent in every state that it meets.
  const about = operations.filter(({ idOf }) => idOf === 'quoteId' || idOf === 'customerId')
  const wanted = about.flatMap((operation) =>
    statesMetBy(operation).map((state) => `${operation.operationId}, when ${state}`),
  )
  assert.deepEqual(
    wanted.filter((meeting) => !met.has(meeting)),
    [],
    'combinations that never occurred',
  )
})

/** Of the requests of an operation in one state, the first ones are about households that requests have changed. */
const firstAsPrepared = 2

/**
 * Chooses what the request with this number tests. Each round covers all operations in one state, and the next round in
 * the next state.
 */
function lotOf(number: number): { operation: Operation; state: State; ownNumber: number; stray: number | undefined } {
  const operation = operations[number % operations.length]
  const round = Math.floor(number / operations.length)
  if (operation === undefined) throw new Error('there are no operations')
  const possible = statesMetBy(operation)
  const state = possible[round % possible.length]
  if (state === undefined) throw new Error('there are no states')
  const turn = Math.floor(round / states.length)
  return { operation, state, ownNumber: turn, stray: turn % 5 < firstAsPrepared ? number : undefined }
}

interface Lot {
  plan: RequestPlan
  state: State
  ownNumber: number
  stray: number | undefined
}

/**
 * Chooses the partner that sends the request, and fills in the request. Only the last partner sets how upstreams
 * behave. Only the last but one moves its sandbox clock; it sometimes sends other requests too.
 */
async function aim(pools: readonly HouseholdPool[], { plan, state, ownNumber, stray }: Lot) {
  const { operationId } = plan.operation
  const ordinary = pools.length - 2
  const traveller = ordinary
  const steers = steering.test(operationId)
  const moves = operationId === 'sandboxAdvanceClock' || ownNumber % 7 === 6
  const own = pools[steers ? traveller + 1 : moves ? traveller : ownNumber % ordinary]
  const other = pools[(ownNumber + 1) % ordinary]
  if (own === undefined || other === undefined || (own === other && !steers)) throw new Error('partners are missing')
  // Calls that set the behaviour of upstreams are made on a draft quote. Preparing a draft needs no upstream, and the
  // partner may have set all upstreams to be down.
  const target = steers ? await own.find('draft', undefined) : await own.find(state, stray)
  const foreign = await other.find(state, stray)
  const request: SentRequest = fillInRequest(plan, {
    own: target.values,
    foreign: foreign.values,
    unknown: unknownIds(),
  })
  return { request, target }
}

function shown(outcome: Outcome): string {
  return 'failure' in outcome ? outcome.failure : `${outcome.status} ${outcome.text.slice(0, 1_000)}`
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { campaignSeed, isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { connectPartner } from '../support/client.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { installLockedQuoteTriggers } from './locked-quotes.ts'
import { checkOutcome } from './outcome.ts'
import { type Call, operations, World } from './world.ts'

const clients = 3

/**
 * A call by one client. It waits only for that client's previous call, not for other clients. The next command runs
 * `pauseMs` later.
 */
class ClientCall implements fc.AsyncCommand<object, World> {
  readonly client: number
  readonly call: Call
  readonly pauseMs: number

  constructor({ client, call, pauseMs }: { client: number; call: Call; pauseMs: number }) {
    this.client = client
    this.call = call
    this.pauseMs = pauseMs
  }

  check(): boolean {
    return true
  }

  run(_model: object, world: World): Promise<void> {
    world.begin(this.client, this.call)
    return world.pause(this.pauseMs)
  }

  toString(): string {
    const { operation, which, twice } = this.call
    return `${this.client}: ${operation} ${which}${twice ? ' twice' : ''}, ${this.pauseMs} ms`
  }
}

/** Calls that lock or unlock the quote are more frequent than those that only change the household. */
const weights: Partial<Record<Call['operation'], number>> = {
  'create-setup-intent': 3,
  confirm: 3,
  'accept-terms': 3,
  cancel: 1,
  reopen: 3,
}

/** Steps that build on each other use the same few tenants; otherwise no tenant would reach the last step. */
const isOnboarding = (operation: Call['operation']) =>
  ['finalise', 'create-setup-intent', 'confirm', 'accept-terms', 'cancel-contract'].includes(operation)

const calls = operations.flatMap((operation) =>
  Array.from({ length: weights[operation] ?? 2 }, () =>
    fc
      .record({
        client: fc.nat(clients - 1),
        call: fc.record({
          operation: fc.constant(operation),
          which: fc.nat(isOnboarding(operation) ? 1 : 13),
          twice: fc.boolean(),
        }),
        pauseMs: fc.constantFrom(0, 0, 1, 4, 12, 30),
      })
      .map((given) => new ClientCall(given)),
  ),
)

test('the invariants hold after three clients have used one household at the same time', async (t) => {
  const seed = campaignSeed()
  const runs = wholeNumberFromEnv('RUNS') ?? (isFullSize ? 300 : 20)
  // The path that fast-check printed after a failure. With the same seed, fast-check starts at that failing case.
  const path = process.env.CASE
  t.diagnostic(`SEED=${seed} RUNS=${runs}${path === undefined ? '' : ` CASE=${path}`}`)
  const successes = new Map<string, number>()
  const rejections = new Map<string, number>()
  const service = await startTestService({}, { clock: movableClock(testTime) })
  t.after(() => service.stop())
  await installLockedQuoteTriggers(service.connectionString)
  const partner = await connectPartner(service.baseUrl, service.credentials)
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('new' as const, 'ready' as const, 'paying' as const, 'accepted' as const),
      fc.commands(calls, { maxCommands: 40, size: 'max' }),
      async (start, commands) => {
        const world = await World.open(partner, start)
        await fc.asyncModelRun(() => ({ model: {}, real: world }), commands)
        await world.settled()
        await checkOutcome(service.connectionString, world)
        for (const { call } of world.successes) countUp(successes, call.operation, 1)
        for (const [code, count] of world.rejections) countUp(rejections, code, count)
      },
    ),
    // Do not shrink a failed case: timing differs between runs, so a smaller case might pass by chance. Show the whole
    // case instead.
    { seed, numRuns: runs, endOnFailure: true, ...(path === undefined ? {} : { path }) },
  )
  t.diagnostic(`successes: ${JSON.stringify(Object.fromEntries(successes))}`)
  t.diagnostic(`rejections: ${JSON.stringify(Object.fromEntries(rejections))}`)
  if (path !== undefined) return
  // A run in which nothing succeeds, or in which no client gets in another's way, proves nothing.
  for (const operation of operations) assert.ok(successes.has(operation), `${operation} never succeeded`)
  assert.ok(rejections.has('quote_locked'), 'no call was rejected because the quote was locked')
})

function countUp(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by)
}

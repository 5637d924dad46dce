import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import fc from 'fast-check'
import { dueContractsJob } from '../../src/contracts/termination/end-due-contracts.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { campaignSeed, isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { connectNewPartner } from '../support/partners.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { brokenInvariants } from './invariants.ts'
import { type Deed, deeds, SignedHousehold, type Step } from './signed-household.ts'
import { brokenAfterSigning } from './signed-invariants.ts'
import { readSignedState } from './signed-state.ts'
import { readStoredState } from './stored-state.ts'

const clock = movableClock(testTime)
const service = await startTestService({}, { clock })
after(() => service.stop())

const endContracts = () =>
  withDatabaseKeys(service, (opened) => dueContractsJob({ ...opened, clock }).run(new AbortController().signal))

/** Deeds that change who owes what are more frequent. */
const weights: Partial<Record<Deed, number>> = { 'pass-days': 3, replace: 3, join: 4, withdraw: 1 }

const step: fc.Arbitrary<Step> = fc.record({
  deed: fc.constantFrom(...deeds.flatMap((deed) => Array.from({ length: weights[deed] ?? 2 }, () => deed))),
  which: fc.nat(5),
  days: fc.integer({ min: 1, max: 60 }),
})

/** Steps of which some are taken at the same time. */
const laterSteps = fc.array(fc.array(step, { minLength: 1, maxLength: 2 }), {
  minLength: 6,
  maxLength: 16,
  size: 'max',
})

/** At times the first day moves first: it no longer can once supply is presumed or a share is taken over. */
const moved: Step[] = [{ deed: 'move-start', which: 0, days: 1 }]
const steps = fc.tuple(fc.nat(2), laterSteps).map(([first, later]) => (first === 0 ? [moved, ...later] : later))

/**
 * Steps taken at the same time must not reverse a payment of a contract that is being settled, or move the clock or the
 * first day meanwhile.
 */
const isAlone = ({ deed }: Step) => ['pass-days', 'refund', 'dispute', 'move-start'].includes(deed)

test('after every tenant has signed, what they owe and the shortfall are the household’s total, whoever leaves, cancels or is replaced', async (t) => {
  const seed = campaignSeed()
  const runs = wholeNumberFromEnv('RUNS') ?? (isFullSize ? 100 : 6)
  const path = process.env.CASE
  t.diagnostic(`SEED=${seed} RUNS=${runs}${path === undefined ? '' : ` CASE=${path}`}`)
  const successes = new Map<string, number>()
  const rejections = new Map<string, number>()
  const check = async (world: SignedHousehold) => {
    const { connectionString } = service
    const { quoteId, noticeOfCancelled } = world
    const signed = await readSignedState(connectionString, quoteId)
    assert.deepEqual(brokenAfterSigning(signed, noticeOfCancelled), [])
    for (const { contractNumber, fingerprint } of signed.contracts) {
      const seen = world.documentsSeen.get(contractNumber)
      assert.equal(fingerprint, seen ?? fingerprint, `the documents of ${contractNumber} were changed`)
      world.documentsSeen.set(contractNumber, fingerprint)
    }
    const state = await readStoredState(connectionString)
    const own = <Row extends { quoteId: string }>(rows: Row[]) => rows.filter((row) => row.quoteId === quoteId)
    const { quotes, customers, events, violations } = state
    const ofQuote = { quotes: own(quotes), customers: own(customers), events: own(events), violations }
    assert.deepEqual(brokenInvariants(ofQuote), [])
  }
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 3 }), fc.boolean(), steps, async (tenants, hasBroadband, taken) => {
      const world = await SignedHousehold.open(await connectNewPartner(service), { tenants, hasBroadband })
      for (const together of taken) {
        if (together.some(isAlone)) for (const each of together) await world.take(each)
        else await Promise.all(together.map((each) => world.take(each)))
        if (together.some(({ deed }) => deed === 'pass-days')) await endContracts()
        await check(world)
      }
      for (const [deed, count] of world.successes) successes.set(deed, (successes.get(deed) ?? 0) + count)
      for (const [code, count] of world.rejections) rejections.set(code, (rejections.get(code) ?? 0) + count)
    }),
    { seed, numRuns: runs, endOnFailure: true, ...(path === undefined ? {} : { path }) },
  )
  t.diagnostic(`successes: ${JSON.stringify(Object.fromEntries(successes))}`)
  t.diagnostic(`rejections: ${JSON.stringify(Object.fromEntries(rejections))}`)
  if (path !== undefined) return
  for (const deed of ['pass-days', 'end-contract', 'cancel-contract', 'replace', 'join', 'collect', 'move-start'])
    assert.ok(successes.has(deed), `${deed} never succeeded`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paymentStatuses } from '../../quoting/tenants/customer.ts'
import { setupIntentStatuses } from '../payment-processor.ts'
import {
  hasCollectionOutcome,
  isNewDecline,
  judgeReport,
  paymentStatusOf,
  type ReportSource,
  type ReportVerdict,
} from './setup-intent-report.ts'

const second = (seconds: number) => new Date(seconds * 1_000)
const fromNotice = (seconds: number): ReportSource => ({ by: 'notice', eventAt: second(seconds) })

const withoutReports = {
  status: 'requires_action',
  lastEventAt: null,
  lastResponseAt: null,
  revision: 3,
  replacesCard: false,
  declinedAttempt: null,
} as const
const failed = { status: 'requires_payment_method', lastAttemptFailed: true, latestAttempt: 'setatt_1' } as const

for (const [when, changes, at, expected] of [
  ['it is the first notice', {}, 5, 'current'],
  ['it is newer than the last notice', { lastEventAt: second(4) }, 5, 'current'],
  ['it is from the same second as the last notice', { lastEventAt: second(5) }, 5, 'uncertain'],
  ['it is older than the last notice', { lastEventAt: second(6) }, 5, 'ignored'],
  ['it is earlier than the last response', { lastResponseAt: second(60) }, 5, 'uncertain'],
  ['the clocks cannot tell whether the last response is newer', { lastResponseAt: second(1) }, 6, 'uncertain'],
  ['it is clearly later than the last response', { lastResponseAt: second(0.9) }, 6, 'current'],
] as const) {
  test(`a notice of a declined card is ${expected} if ${when}`, () => {
    const report = { intent: failed, source: fromNotice(at) }
    assert.equal(judgeReport({ ...withoutReports, ...changes }, 'setup_started', report), expected)
  })
}

test('a response is ignored if the intent has changed since the request, but a response to a command is always current', () => {
  const judge = (source: ReportSource) => judgeReport(withoutReports, 'setup_started', { intent: failed, source })
  assert.equal(judge({ by: 'response', revision: 3 }), 'current')
  assert.equal(judge({ by: 'response', revision: 2 }), 'ignored')
  assert.equal(judge({ by: 'command' }), 'current')
})

test('a notice of another decline from the same second is uncertain, and one of the same decline is current', () => {
  const stored = { ...withoutReports, lastEventAt: second(5) }
  for (const replacesCard of [false, true]) {
    const judge = (declinedAttempt: string) =>
      judgeReport({ ...stored, replacesCard, declinedAttempt }, 'setup_failed', {
        intent: failed,
        source: fromNotice(5),
      })
    assert.equal(judge('setatt_0'), 'uncertain')
    assert.equal(judge('setatt_1'), 'current')
  }
})

test("a notice about a replacement's progress is never uncertain, because it does not change the payment status", () => {
  const stored = { ...withoutReports, lastEventAt: second(5), replacesCard: true }
  const intent = { status: 'requires_action', lastAttemptFailed: false, latestAttempt: 'setatt_1' } as const
  for (const status of paymentStatuses)
    assert.equal(judgeReport(stored, status, { intent, source: fromNotice(5) }), 'current')
})

const time = fc.option(fc.integer({ min: 0, max: 9_000 }).map((milliseconds) => new Date(milliseconds)))
const source: fc.Arbitrary<ReportSource> = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map(fromNotice),
  fc.integer({ min: 2, max: 3 }).map((revision): ReportSource => ({ by: 'response', revision })),
  fc.constant<ReportSource>({ by: 'command' }),
)
const attempt = fc.constantFrom(null, 'setatt_1', 'setatt_2')
const anything = fc.record({
  stored: fc.record({
    status: fc.constantFrom(...setupIntentStatuses),
    lastEventAt: time,
    lastResponseAt: time,
    revision: fc.constant(3),
    replacesCard: fc.boolean(),
    declinedAttempt: attempt,
  }),
  paymentStatus: fc.constantFrom(...paymentStatuses),
  intent: fc.record({
    status: fc.constantFrom(...setupIntentStatuses),
    lastAttemptFailed: fc.boolean(),
    latestAttempt: attempt,
  }),
  source,
})

test('no report reopens an ended intent, and a report is judged uncertain only if it would change the payment status or reports a decline', () => {
  fc.assert(
    fc.property(anything, ({ stored, paymentStatus, intent, source: how }) => {
      const verdict: ReportVerdict = judgeReport(stored, paymentStatus, { intent, source: how })
      const isOver = intent.status === 'succeeded' || intent.status === 'canceled'
      if (verdict === 'uncertain') {
        assert.equal(how.by, 'notice')
        const changesStatus =
          !stored.replacesCard && !hasCollectionOutcome(paymentStatus) && paymentStatusOf(intent) !== paymentStatus
        assert.ok(!isOver && (changesStatus || isNewDecline(stored, intent)))
      }
      if (stored.status === 'canceled') assert.equal(verdict, 'ignored')
      if (stored.status === 'succeeded' && intent.status !== 'canceled') assert.notEqual(verdict, 'current')
      if (isOver && how.by !== 'notice') assert.notEqual(verdict, 'uncertain')
    }),
  )
})

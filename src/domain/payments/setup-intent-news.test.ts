import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { paymentStatuses } from '../customers/customer.ts'
import { setupIntentStatuses } from './payment-processor.ts'
import { type Judgement, judgeNews, type Told } from './setup-intent-news.ts'
import { isCollecting, paymentStatusOf } from './setup-outcome.ts'

const second = (seconds: number) => new Date(seconds * 1_000)
const noticed = (seconds: number): Told => ({ by: 'notice', eventAt: second(seconds) })

const unheard = { status: 'requires_action', lastEventAt: null, lastAnswerAt: null, revision: 3 } as const
const failed = { status: 'requires_payment_method', lastAttemptFailed: true } as const

for (const [when, stored, told, expected] of [
  ['the first of all', unheard, noticed(5), 'news'],
  ['later than the last notice', { ...unheard, lastEventAt: second(4) }, noticed(5), 'news'],
  ['of the last one’s second', { ...unheard, lastEventAt: second(5) }, noticed(5), 'doubtful'],
  ['older than the last one', { ...unheard, lastEventAt: second(6) }, noticed(5), 'nothing'],
  ['from before the last answer', { ...unheard, lastAnswerAt: second(60) }, noticed(5), 'doubtful'],
  [
    'from so soon after the last answer that clocks may tell',
    { ...unheard, lastAnswerAt: second(1) },
    noticed(6),
    'doubtful',
  ],
  ['from well after the last answer', { ...unheard, lastAnswerAt: second(0.9) }, noticed(6), 'news'],
] as const) {
  test(`a notice of a refused card, when ${when}, is ${expected}`, () => {
    assert.equal(judgeNews(stored, 'setup_started', { intent: failed, told }), expected)
  })
}

test('an answer, when something was heard since the question, is nothing; a step’s answer is always news', () => {
  const judge = (told: Told) => judgeNews(unheard, 'setup_started', { intent: failed, told })
  assert.equal(judge({ by: 'answer', revision: 3 }), 'news')
  assert.equal(judge({ by: 'answer', revision: 2 }), 'nothing')
  assert.equal(judge({ by: 'step' }), 'news')
})

const time = fc.option(fc.integer({ min: 0, max: 9_000 }).map((milliseconds) => new Date(milliseconds)))
const told: fc.Arbitrary<Told> = fc.oneof(
  fc.integer({ min: 0, max: 9 }).map(noticed),
  fc.integer({ min: 2, max: 3 }).map((revision): Told => ({ by: 'answer', revision })),
  fc.constant<Told>({ by: 'step' }),
)
const anything = fc.record({
  stored: fc.record({
    status: fc.constantFrom(...setupIntentStatuses),
    lastEventAt: time,
    lastAnswerAt: time,
    revision: fc.constant(3),
  }),
  paymentStatus: fc.constantFrom(...paymentStatuses),
  intent: fc.record({ status: fc.constantFrom(...setupIntentStatuses), lastAttemptFailed: fc.boolean() }),
  told,
})

test('whatever is known and said: only an unfinished notice that would move the payment is doubtful, and no end is undone', () => {
  fc.assert(
    fc.property(anything, ({ stored, paymentStatus, intent, told: how }) => {
      const judgement: Judgement = judgeNews(stored, paymentStatus, { intent, told: how })
      const isOver = intent.status === 'succeeded' || intent.status === 'canceled'
      if (judgement === 'doubtful') {
        assert.equal(how.by, 'notice')
        assert.ok(!isOver && !isCollecting(paymentStatus) && paymentStatusOf(intent) !== paymentStatus)
      }
      if (stored.status === 'canceled') assert.equal(judgement, 'nothing')
      if (stored.status === 'succeeded' && intent.status !== 'canceled') assert.notEqual(judgement, 'news')
      if (isOver && how.by !== 'notice') assert.notEqual(judgement, 'doubtful')
    }),
  )
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import type { QuoteStage } from '../../src/domain/quotes/quote.ts'
import { type QuoteStatus, quoteStatus, quoteStatuses } from '../../src/domain/quotes/quote.ts'
import { type QuoteOperation, quoteOperations } from '../../src/domain/quotes/quote-operations.ts'
import { connectPartner } from '../support/client.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { codeOf, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'
import {
  expectedRefusal,
  expectedStatus,
  type Move,
  make,
  noted,
  operationsOf,
  readAgain,
  standingOf,
  startWalk,
  type WalkedQuote,
} from './quote-walk.ts'
import { changesBetween, inOrder, readStored, type StoredQuote } from './told-events.ts'

/*
 * One quote after another is led through its life over HTTP, always towards something that was not tried yet, until every
 * move was tried from every standing and under every status that the moves lead to. Each answer is held against the table, and
 * so are the events that each move has left.
 */

const clock = movableClock(testTime)
const service = await startTestService({}, { clock })
const pool = new Pool({ connectionString: service.connectionString, max: 1 })
after(async () => {
  await pool.end()
  await service.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
await partner.get(`/Quotes/run-broadband-availability-check/${ordinaryProperty().addressUid}`)

/** `complete` has no call of its own: the last tenant's accept-terms is it. */
const moves: readonly Move[] = [
  ...(Object.keys(quoteOperations) as QuoteOperation[]).filter((operation) => operation !== 'complete'),
  'expire',
  'confirm',
]
/** These leave a quote as it is where they succeed. */
const reading: readonly Move[] = ['get', 'get-bb-install-dates', 'payment-schedules']
/** In a longer household one accepted contract more or less would not tell whether the quote is completed. */
const maxTenants = 2

/** What the walk has learnt so far, over all the quotes it made. */
const walked = {
  /** `standing: move` and `status: move`. */
  tried: new Set<string>(),
  /** From each standing where each move leads, and which statuses each standing was seen under. */
  ways: new Map<string, Map<Move, string>>(),
  statuses: new Map<string, Set<QuoteStatus>>(),
  succeeded: new Map<QuoteOperation, Set<QuoteStage>>(),
  refusals: new Set<string>(),
  /** Changes of the quote's status, and types of other events. */
  told: new Set<string>(),
}

function isUntried(standing: string, status: QuoteStatus, move: Move): boolean {
  return !walked.tried.has(`${standing}: ${move}`) || !walked.tried.has(`${status}: ${move}`)
}

/** Whether the move is expected to leave the quote otherwise than it is. */
function changes(quote: WalkedQuote, move: Move): boolean {
  if (move === 'total-cost') return quote.expired && quote.stage === 'open'
  return !reading.includes(move) && expectedRefusal(quote, move, clock.now()) === undefined
}

/** The quote that is being led, as it was stored before the move. */
let known: { quoteId: string; status: QuoteStatus | null; stored: StoredQuote } | undefined

/** Since the last move exactly what has changed was told: the quote's status as the table has it, and its customers'. */
async function assertTold({ quoteId }: WalkedQuote, status: QuoteStatus, about: string): Promise<void> {
  const before = known?.quoteId === quoteId ? known : { status: null, stored: { customers: new Map(), told: [] } }
  const stored = await readStored(pool, quoteId)
  const told = stored.told.slice(before.stored.told.length)
  const expected = changesBetween(quoteId, before, { status, stored })
  assert.deepEqual(inOrder(told), inOrder(expected), about)
  for (const [type, { previousStatus, status: now }] of told)
    walked.told.add(type === 'quote.status.changed' ? `${previousStatus} → ${now}` : type)
  known = { quoteId, status, stored }
}

/** Makes one move and holds the answer and the quote afterwards against the table. */
async function go(quote: WalkedQuote, move: Move): Promise<WalkedQuote> {
  const standing = standingOf(quote)
  const status = quoteStatus(quote)
  walked.tried.add(`${standing}: ${move}`).add(`${status}: ${move}`)
  const refusal = expectedRefusal(quote, move, clock.now())
  const answer = await make(partner, quote, move)
  if (answer === undefined) return quote
  const about = `${move}, when ${status}, ${standing}: ${answer.text}`
  assert.equal(codeOf(answer), refusal, about)
  assert.equal(answer.status, refusal === undefined ? 200 : 422, about)
  if (refusal === undefined) {
    for (const operation of operationsOf(quote, move))
      walked.succeeded.set(operation, (walked.succeeded.get(operation) ?? new Set()).add(quote.stage))
  } else walked.refusals.add(`${move} ${refusal}`)
  if (!changes(quote, move)) {
    await assertTold(quote, status, about)
    return quote
  }

  const next = await readAgain(partner, noted(quote, move, answer))
  const foretold = refusal === undefined ? expectedStatus(quote, move, next) : status
  assert.equal(quoteStatus(next), foretold, about)
  await assertTold(quote, foretold, about)
  if (refusal === undefined) {
    const { quoteId, status: answered } = succeeded(answer) as { quoteId?: string; status?: string }
    if (quoteId !== undefined && answered !== undefined)
      assert.equal(answered, foretold, 'the answer says the status that reading says')
  }
  if (next.tenants.length <= maxTenants)
    walked.ways.set(standing, (walked.ways.get(standing) ?? new Map<Move, string>()).set(move, standingOf(next)))
  return next
}

/** The first move on a known way from here to a standing where something is untried. */
function wayToUntried(from: string): Move | undefined {
  const firstMoves = new Map<string, Move | undefined>([[from, undefined]])
  for (const [standing, first] of firstMoves) {
    for (const [move, next] of walked.ways.get(standing) ?? []) {
      if (firstMoves.has(next)) continue
      const statuses = [...(walked.statuses.get(next) ?? [])]
      if (moves.some((each) => statuses.some((status) => isUntried(next, status, each)))) return first ?? move
      firstMoves.set(next, first ?? move)
    }
  }
  return undefined
}

test('from every standing a quote can have, every operation does over HTTP what the table says', async () => {
  let quote = await startWalk(partner)
  await assertTold(quote, 'draft', 'a new quote')
  const start = standingOf(quote)
  for (let steps = 0; ; steps += 1) {
    assert.ok(steps < 3_000, 'the walk ends')
    const standing = standingOf(quote)
    const status = quoteStatus(quote)
    walked.statuses.set(standing, (walked.statuses.get(standing) ?? new Set()).add(status))
    const untried = moves.filter((move) => isUntried(standing, status, move))
    const still = untried.filter((move) => !changes(quote, move))
    for (const move of still) await go(quote, move)
    if (still.length > 0) {
      const { text } = await readAgain(partner, quote)
      assert.equal(text, quote.text, `refusals and readings change nothing: ${still}, when ${status}, ${standing}`)
    }
    const move = untried.find((each) => changes(quote, each)) ?? wayToUntried(standing)
    if (move !== undefined && quote.tenants.length <= maxTenants) quote = await go(quote, move)
    else if (standing !== start && wayToUntried(start) !== undefined) {
      quote = await startWalk(partner)
      await assertTold(quote, 'draft', 'a new quote')
    } else break
  }

  const reached = new Set([...walked.statuses.values()].flatMap((statuses) => [...statuses]))
  assert.deepEqual([...reached].sort(), [...quoteStatuses].sort(), 'every status was reached')
  for (const status of reached) {
    const left = moves.filter((move) => !walked.tried.has(`${status}: ${move}`))
    assert.deepEqual(left, [], `every operation was tried when ${status}`)
  }
})

test('every status was told on the way to it, and every kind of event was told', () => {
  const told = [...walked.told]
  for (const status of quoteStatuses)
    assert.ok(
      told.some((change) => change.endsWith(`→ ${status}`)),
      status,
    )
  for (const change of [
    'null → draft',
    'active → completed',
    'active → cancelled',
    'active → TenantsAdded',
    'TenantsAdded → PackagesSelected',
    'customer.status.changed',
    'customer.payment.updated',
  ])
    assert.ok(walked.told.has(change), change)
})

test('every operation succeeds in each stage the table names, and in no other', () => {
  for (const [operation, { stages }] of Object.entries(quoteOperations)) {
    // Who would finalise on a completed quote has accepted the terms, so the customer's own rule refuses it.
    const expected = operation === 'finalise' ? ['active', 'open'] : [...stages].sort()
    const found = [...(walked.succeeded.get(operation as QuoteOperation) ?? [])].sort()
    assert.deepEqual(found, expected, operation)
  }
})

test('every refusal the table can give was given', () => {
  const codes = (move: Move) =>
    [...walked.refusals].filter((each) => each.startsWith(`${move} `)).map((each) => each.slice(move.length + 1))
  const expected: Record<Move, string[]> = {
    get: [],
    'add-packages': ['quote_cancelled', 'quote_expired', 'quote_locked'],
    'update-packages': ['quote_cancelled', 'quote_locked'],
    'add-tenants': ['quote_cancelled', 'quote_expired', 'quote_locked'],
    'remove-tenants': ['quote_cancelled', 'quote_locked'],
    'add-broadband-products': ['quote_cancelled', 'quote_expired', 'quote_locked'],
    'get-bb-install-dates': ['broadband_products_required'],
    'total-cost': ['packages_required', 'tenants_required'],
    'set-dates': ['already_onboarded', 'quote_cancelled', 'quote_locked'],
    finalise: ['already_onboarded', 'quote_cancelled'],
    'payment-schedules': ['packages_required', 'personal_information_required', 'quote_cancelled', 'quote_expired'],
    'create-setup-intent': ['packages_required', 'personal_information_required', 'quote_cancelled', 'quote_expired'],
    'accept-terms': ['payment_setup_incomplete', 'quote_cancelled'],
    cancel: ['already_onboarded', 'quote_cancelled'],
    reopen: ['already_onboarded', 'quote_cancelled', 'validation_failed'],
    expire: ['quote_cancelled', 'quote_locked'],
    confirm: [],
  }
  for (const move of moves) assert.deepEqual(codes(move).sort(), expected[move], move)
})

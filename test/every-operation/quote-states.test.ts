import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Pool } from 'pg'
import type { EndReason } from '../../src/contracts/contract.ts'
import type { ErrorCode } from '../../src/platform/kernel/errors.ts'
import type { QuoteStage } from '../../src/quoting/quotes/quote.ts'
import { type QuoteStatus, quoteStatus, quoteStatuses } from '../../src/quoting/quotes/quote.ts'
import { type QuoteOperation, quoteOperations } from '../../src/quoting/quotes/quote-operations.ts'
import { connectPartner, type Problem } from '../support/client.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { codeOf, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { expectedEventsBetween, readStoredQuote, type StoredQuote, sortedTexts } from './emitted-events.ts'
import {
  attemptMove,
  expectedError,
  expectedStatus,
  type Move,
  performedOperations,
  refetch,
  startWalk,
  stateOf,
  type WalkedQuote,
  withHiddenChanges,
} from './quote-walk.ts'

/*
 * Walks quotes through their states over HTTP, one quote after another, always heading for a state in which some move
 * is still untried, until every move has been tried in every reachable state and status. Each response and the events
 * of each move must match the transition table.
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

/** `complete` has no separate call: accepting the last tenant's terms completes the quote. */
const moves: readonly Move[] = [
  ...(Object.keys(quoteOperations) as QuoteOperation[]).filter((operation) => operation !== 'complete'),
  'expire',
  'confirm',
]
/** Calls that only read, so the quote stays the same even if they succeed. */
const reading: readonly Move[] = ['get', 'get-bb-install-dates', 'estimate', 'payment-schedules']
/** Moves that depend on nothing but the stage, so that they are tried once in each status. */
const decidedByStatus: readonly Move[] = ['get', 'set-household-complete', 'set-tenancy', 'set-meter']
/** Two at most: with more tenants, one tenant's acceptance of the terms would rarely complete the quote. */
const maxTenants = 2

/** What the walk has learnt so far from all quotes. */
const walked = {
  /** Every move that has been tried, listed both as `state: move` and as `status: move`. */
  tried: new Set<string>(),
  /** For each state, the state that each move leads to. */
  transitions: new Map<string, Map<Move, string>>(),
  /** For each state, the statuses seen in it. */
  statuses: new Map<string, Set<QuoteStatus>>(),
  succeeded: new Map<QuoteOperation, Set<QuoteStage>>(),
  errors: new Set<string>(),
  /** The status changes of the quote and the types of other events. */
  events: new Set<string>(),
}

function isUntried(state: string, status: QuoteStatus, move: Move): boolean {
  const isTried = walked.tried.has(`${status}: ${move}`)
  return !isTried || (!decidedByStatus.includes(move) && !walked.tried.has(`${state}: ${move}`))
}

/** Whether the move is expected to change the quote. */
function changes(quote: WalkedQuote, move: Move): boolean {
  if (move === 'total-cost') return quote.expired && quote.stage === 'open'
  return !reading.includes(move) && expectedError(quote, move, clock.now()) === undefined
}

/** The current quote, as it was stored before the current move. */
let known: { quoteId: string; status: QuoteStatus | null; stored: StoredQuote } | undefined

/**
 * Asserts that the events since the last move report exactly what changed: the quote's status, as the table predicts,
 * and its customers.
 */
async function assertEvents(
  { quoteId }: WalkedQuote,
  status: QuoteStatus,
  about: string,
  reason: EndReason | null = null,
): Promise<void> {
  const before =
    known?.quoteId === quoteId
      ? known
      : { status: null, stored: { customers: new Map(), contracts: new Map(), events: [] } }
  const stored = await readStoredQuote(pool, quoteId)
  // The others say nothing about the move, such as that an expired quote was repriced before the call's own checks.
  const events = stored.events
    .slice(before.stored.events.length)
    .filter(([, data]) => 'status' in data || 'paymentStatus' in data)
  const expected = expectedEventsBetween(quoteId, before, { status, stored, reason })
  assert.deepEqual(sortedTexts(events), sortedTexts(expected), about)
  for (const [type, { previousStatus, status: now }] of events)
    walked.events.add(type === 'quote.status.changed' ? `${previousStatus} → ${now}` : type)
  known = { quoteId, status, stored }
}

/** Why a successful move undoes earlier steps; null if it does not. */
function reasonOf(quote: WalkedQuote, move: Move): EndReason | null {
  if (move === 'reopen') return 'reopened'
  if (move === 'cancel') return 'quote_cancelled'
  if (move === 'move-start') return 'tenancy_did_not_start'
  return move === 'expire' && quote.stage === 'active' ? 'lock_ended' : null
}

/** What the detail of an error tells the partner to call. */
const remedies: Partial<Record<ErrorCode, RegExp>> = {
  quote_expired: /total-cost/,
  quote_locked: /reopen|replacements|in force/,
  packages_required: /add-packages/,
  tenants_required: /add-tenants/,
  broadband_products_required: /add-broadband-products/,
  personal_information_required: /finalise-personal-information/,
}

/** Makes one move and checks the response and the resulting quote against the table. */
async function makeMove(quote: WalkedQuote, move: Move): Promise<WalkedQuote> {
  const state = stateOf(quote)
  const status = quoteStatus(quote)
  walked.tried.add(`${state}: ${move}`).add(`${status}: ${move}`)
  const error = expectedError(quote, move, clock.now())
  const answer = await attemptMove(partner, quote, move)
  if (answer === undefined) return quote
  const about = `${move}, when ${status}, ${state}: ${answer.text}`
  assert.equal(codeOf(answer), error, about)
  assert.equal(answer.status, error === undefined ? 200 : 422, about)
  const remedy = error === undefined ? undefined : remedies[error]
  if (remedy !== undefined) assert.match((answer.body as Problem).detail, remedy, about)
  if (error === undefined) {
    for (const operation of performedOperations(quote, move))
      walked.succeeded.set(operation, (walked.succeeded.get(operation) ?? new Set()).add(quote.stage))
  } else walked.errors.add(`${move} ${error}`)
  if (!changes(quote, move)) return quote

  const next = await refetch(partner, withHiddenChanges(quote, move, answer))
  const expectedAfter = error === undefined ? expectedStatus(quote, move, next) : status
  assert.equal(quoteStatus(next), expectedAfter, about)
  await assertEvents(quote, expectedAfter, about, error === undefined ? reasonOf(quote, move) : null)
  if (error === undefined) {
    const { quoteId, status: returnedStatus } = succeeded(answer) as { quoteId?: string; status?: string }
    if (quoteId !== undefined && returnedStatus !== undefined)
      assert.equal(returnedStatus, expectedAfter, 'the response has the status that a GET shows')
  }
  if (next.tenants.length <= maxTenants)
    walked.transitions.set(state, (walked.transitions.get(state) ?? new Map<Move, string>()).set(move, stateOf(next)))
  return next
}

/** The first move on a known path that leads from the current state to a state with an untried move. */
function firstMoveTowardsUntried(from: string): Move | undefined {
  const firstMoves = new Map<string, Move | undefined>([[from, undefined]])
  for (const [state, first] of firstMoves) {
    for (const [move, next] of walked.transitions.get(state) ?? []) {
      if (firstMoves.has(next)) continue
      const statuses = [...(walked.statuses.get(next) ?? [])]
      if (moves.some((each) => statuses.some((status) => isUntried(next, status, each)))) return first ?? move
      firstMoves.set(next, first ?? move)
    }
  }
  return undefined
}

test('over HTTP, every operation does what the transition table says in every state that a quote can have', async () => {
  let quote = await startWalk(partner)
  await assertEvents(quote, 'draft', 'a new quote')
  const start = stateOf(quote)
  for (let steps = 0; ; steps += 1) {
    assert.ok(steps < 3_000, 'the walk ends')
    const state = stateOf(quote)
    const status = quoteStatus(quote)
    walked.statuses.set(state, (walked.statuses.get(state) ?? new Set()).add(status))
    const untried = moves.filter((move) => isUntried(state, status, move))
    const still = untried.filter((move) => !changes(quote, move))
    for (const move of still) await makeMove(quote, move)
    if (still.length > 0) {
      const what = `these reads and rejected requests leave the quote unchanged: ${still} (status ${status}, state ${state})`
      const { text } = await refetch(partner, quote)
      assert.equal(text, quote.text, what)
      await assertEvents(quote, status, what)
    }
    const move = untried.find((each) => changes(quote, each)) ?? firstMoveTowardsUntried(state)
    if (move !== undefined && quote.tenants.length <= maxTenants) quote = await makeMove(quote, move)
    else if (state !== start && firstMoveTowardsUntried(start) !== undefined) {
      quote = await startWalk(partner)
      await assertEvents(quote, 'draft', 'a new quote')
    } else break
  }

  const reached = new Set([...walked.statuses.values()].flatMap((statuses) => [...statuses]))
  assert.deepEqual([...reached].sort(), [...quoteStatuses].sort(), 'every status was reached')
  for (const status of reached) {
    const left = moves.filter((move) => !walked.tried.has(`${status}: ${move}`))
    assert.deepEqual(left, [], `every operation was tried in the status ${status}`)
  }
})

test('every status was announced by an event, and every kind of event was recorded', () => {
  const events = [...walked.events]
  for (const status of quoteStatuses)
    assert.ok(
      events.some((change) => change.endsWith(`→ ${status}`)),
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
    'customer.contract.changed',
  ])
    assert.ok(walked.events.has(change), change)
})

test('every operation succeeds in exactly the stages that the transition table lists for it', () => {
  for (const [operation, { stages }] of Object.entries(quoteOperations)) {
    // The table allows finalise on a completed quote. There, however, every customer has accepted the terms, and a rule
    // about customers rejects the call.
    const expected = operation === 'finalise' ? ['active', 'open'] : [...stages].sort()
    const found = [...(walked.succeeded.get(operation as QuoteOperation) ?? [])].sort()
    assert.deepEqual(found, expected, operation)
  }
})

test('every error in the transition table was returned', () => {
  const codes = (move: Move) =>
    [...walked.errors].filter((each) => each.startsWith(`${move} `)).map((each) => each.slice(move.length + 1))
  const expected: Record<Move, string[]> = {
    get: [],
    'add-packages': ['quote_cancelled', 'quote_expired', 'quote_locked'],
    'update-packages': ['quote_cancelled', 'quote_locked'],
    'add-tenants': ['quote_cancelled', 'quote_expired', 'quote_locked'],
    'remove-tenants': ['quote_cancelled', 'quote_locked'],
    'add-broadband-products': ['quote_cancelled', 'quote_expired', 'quote_locked'],
    'select-install-date': ['broadband_products_required', 'quote_cancelled', 'quote_expired', 'quote_locked'],
    'get-bb-install-dates': ['broadband_products_required'],
    'total-cost': ['packages_required', 'tenants_required'],
    estimate: ['packages_required', 'quote_cancelled'],
    'set-dates': ['already_onboarded', 'quote_cancelled', 'quote_locked', 'validation_failed'],
    'set-household-complete': ['quote_cancelled', 'quote_locked'],
    'set-tenancy': ['quote_cancelled'],
    'set-meter': ['quote_cancelled', 'quote_locked'],
    finalise: ['already_onboarded', 'quote_cancelled'],
    preview: [
      'already_onboarded',
      'packages_required',
      'personal_information_required',
      'quote_cancelled',
      'quote_expired',
    ],
    'payment-schedules': ['packages_required', 'personal_information_required', 'quote_cancelled', 'quote_expired'],
    'create-setup-intent': ['packages_required', 'personal_information_required', 'quote_cancelled', 'quote_expired'],
    'accept-terms': ['packages_required', 'payment_setup_incomplete', 'quote_cancelled', 'quote_expired'],
    cancel: ['already_onboarded', 'quote_cancelled'],
    reopen: ['already_onboarded', 'quote_cancelled', 'validation_failed'],
    'move-start': ['packages_required', 'quote_cancelled'],
    expire: ['quote_cancelled', 'quote_locked'],
    confirm: [],
  }
  for (const move of moves) assert.deepEqual(codes(move).sort(), expected[move], move)
})

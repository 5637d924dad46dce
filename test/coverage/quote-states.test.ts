import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  type QuoteStage,
  type QuoteStatus,
  quoteStatus,
  quoteStatuses,
  type StepLabel,
} from '../../src/domain/quotes/quote.ts'
import { type QuoteOperation, quoteOperations } from '../../src/domain/quotes/quote-operations.ts'
import { connectPartner } from '../support/client.ts'
import { ordinaryHome } from '../support/homes.ts'
import { testTime } from '../support/quote-fixtures.ts'
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

const clock = movableClock(testTime)
const service = await startTestService({}, { clock })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
await partner.get(`/Quotes/run-broadband-availability-check/${ordinaryHome().addressUid}`)

/** `complete` has no call of its own: the last tenant's accept-terms is it. */
const moves: readonly Move[] = [
  ...(Object.keys(quoteOperations) as QuoteOperation[]).filter((operation) => operation !== 'complete'),
  'expire',
  'confirm',
]
/** These leave a quote as it is where they succeed. */
const reading: readonly Move[] = ['get', 'get-bb-install-dates', 'payment-schedules']

/** What the walk has learnt so far, over all the quotes it made. */
const walked = {
  /** How a quote stands after a trial; without a label where it keeps the one it had. */
  outcomes: new Map<string, { standing: string; label: StepLabel | undefined }>(),
  /** Every standing seen, with each label it was seen under. */
  places: new Map<string, Place>(),
  tried: new Set<string>(),
  statuses: new Set<QuoteStatus>(),
  succeeded: new Map<QuoteOperation, Set<QuoteStage>>(),
  refusals: new Set<string>(),
}

/** Of a longer household than this one accepted contract would not tell whether the next completes the quote. */
const mostTenants = 2

interface Place {
  standing: string
  label: StepLabel
}

const placeOf = (quote: WalkedQuote): Place => ({ standing: standingOf(quote), label: quote.stepLabel })
const nameOf = ({ standing, label }: Place) => `${standing} (${label})`
/** The label of a locked quote only matters to reopen: the other moves are tried once whatever it is. */
const keepsLabel = ({ standing }: Place, move: Move) => !standing.startsWith('open') && move !== 'reopen'
const trialOf = (place: Place, move: Move) => `${keepsLabel(place, move) ? place.standing : nameOf(place)}: ${move}`
const untried = (place: Place) => moves.filter((move) => !walked.tried.has(trialOf(place, move)))

/** Makes one move and holds the answer and the quote afterwards against the table. */
async function go(quote: WalkedQuote, move: Move): Promise<WalkedQuote> {
  const place = placeOf(quote)
  walked.tried.add(trialOf(place, move))
  const refusal = expectedRefusal(quote, move, clock.now())
  const answer = await make(partner, quote, move)
  if (answer === undefined) return quote
  const about = `${move}, when ${nameOf(place)}: ${answer.text}`
  assert.equal(answer.body.code, refusal, about)
  assert.equal(answer.status, refusal === undefined ? 200 : 422, about)
  if (refusal !== undefined) walked.refusals.add(`${move} ${refusal}`)
  const renews = move === 'total-cost' && quote.expired && quote.stage === 'open'
  if (!renews && (refusal !== undefined || reading.includes(move))) {
    if (refusal === undefined) succeeded(quote, move)
    return quote
  }
  const next = await readAgain(partner, noted(quote, move, answer))
  const status = refusal === undefined ? expectedStatus(quote, move, next) : quoteStatus(quote)
  assert.equal(quoteStatus(next), status, about)
  if (refusal === undefined) {
    succeeded(quote, move)
    if (answer.body.quoteId !== undefined && answer.body.status !== undefined)
      assert.equal(answer.body.status, status, 'the answer says the status that reading says')
  }
  walked.statuses.add(status)
  const label = keepsLabel(place, move) ? undefined : next.stepLabel
  if (next.tenants.length <= mostTenants)
    walked.outcomes.set(trialOf(place, move), { standing: standingOf(next), label })
  return next
}

function succeeded(quote: WalkedQuote, move: Move): void {
  for (const operation of operationsOf(quote, move))
    walked.succeeded.set(operation, (walked.succeeded.get(operation) ?? new Set()).add(quote.stage))
}

/** The first move on a known way from here to a place where something is untried. */
function wayToUntried(from: Place): Move | undefined {
  const found = new Map<string, { place: Place; first: Move | undefined }>([
    [nameOf(from), { place: from, first: undefined }],
  ])
  for (const { place, first } of found.values()) {
    for (const move of moves) {
      const outcome = walked.outcomes.get(trialOf(place, move))
      if (outcome === undefined) continue
      const next = { standing: outcome.standing, label: outcome.label ?? place.label }
      if (untried(next).length > 0) return first ?? move
      if (!found.has(nameOf(next))) found.set(nameOf(next), { place: next, first: first ?? move })
    }
  }
  return undefined
}

/** Whether the move is expected to leave the quote otherwise than it is. */
function changes(quote: WalkedQuote, move: Move): boolean {
  if (move === 'total-cost') return quote.expired && quote.stage === 'open'
  return !reading.includes(move) && expectedRefusal(quote, move, clock.now()) === undefined
}

function partition<Value>(values: readonly Value[], belongs: (value: Value) => boolean): [Value[], Value[]] {
  return [values.filter(belongs), values.filter((value) => !belongs(value))]
}

test('from every standing a quote can have, every operation does over HTTP what the table says', async () => {
  let quote = await startWalk(partner)
  const start = placeOf(quote)
  walked.statuses.add('draft')
  for (let steps = 0; ; steps += 1) {
    assert.ok(steps < 5_000, 'the walk ends')
    const place = placeOf(quote)
    walked.places.set(nameOf(place), place)
    const [changing, still] = partition(untried(place), (move) => changes(quote, move))
    for (const move of still) quote = await go(quote, move)
    if (still.length > 0) {
      const { text } = await readAgain(partner, quote)
      assert.equal(text, quote.text, `refusals and readings change nothing: ${still}, when ${nameOf(place)}`)
    }
    const move = changing[0] ?? wayToUntried(place)
    if (move !== undefined && quote.tenants.length <= mostTenants) quote = await go(quote, move)
    else if (untried(start).length === 0 && wayToUntried(start) === undefined) break
    else quote = await startWalk(partner)
  }

  console.log(walked.places.size, walked.tried.size, [...walked.places.keys()].sort())
  assert.deepEqual([...walked.statuses].sort(), [...quoteStatuses].sort(), 'every status was reached')
  for (const [operation, { stages }] of Object.entries(quoteOperations)) {
    const found = [...(walked.succeeded.get(operation as QuoteOperation) ?? [])].sort()
    assert.deepEqual(found, [...stages].sort(), `${operation} succeeded in each of its stages and in no other`)
  }
  for (const place of walked.places.values()) assert.deepEqual(untried(place), [], 'nothing was left out')
})

test('every refusal the table can give was given', () => {
  const codes = (move: Move) =>
    [...walked.refusals].filter((each) => each.startsWith(`${move} `)).map((each) => each.slice(move.length + 1))
  const changing: Move[] = ['add-packages', 'add-tenants', 'add-broadband-products']
  for (const move of changing) {
    assert.deepEqual(codes(move).sort(), ['quote_cancelled', 'quote_expired', 'quote_locked'])
  }
  for (const move of ['update-packages', 'remove-tenants'] as const) {
    assert.deepEqual(codes(move).sort(), ['quote_cancelled', 'quote_locked'])
  }
  assert.deepEqual(codes('get'), [])
  assert.deepEqual(codes('get-bb-install-dates'), ['broadband_products_required'])
  assert.deepEqual(codes('total-cost').sort(), ['packages_required', 'tenants_required'])
  assert.deepEqual(codes('cancel').sort(), ['already_onboarded', 'quote_cancelled'])
  assert.deepEqual(codes('reopen').sort(), ['already_onboarded', 'quote_cancelled', 'validation_failed'])
  assert.deepEqual(codes('set-dates').sort(), ['already_onboarded', 'quote_cancelled', 'quote_locked'])
  assert.deepEqual(codes('finalise').sort(), ['already_onboarded', 'quote_cancelled'])
  for (const move of ['payment-schedules', 'create-setup-intent'] as const) {
    assert.deepEqual(codes(move).sort(), [
      'packages_required',
      'personal_information_required',
      'quote_cancelled',
      'quote_expired',
    ])
  }
  assert.deepEqual(codes('accept-terms').sort(), ['payment_setup_incomplete', 'quote_cancelled'])
})

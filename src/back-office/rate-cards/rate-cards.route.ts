import Type, { type Static } from 'typebox'
import { dryRunQuery } from '../../contracts/ended-contract.schema.ts'
import { jsonProblems } from '../../platform/http/pipeline/json-problems.ts'
import { Choice, Nullable, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { cursorAfter, idFromCursor, PageQuery, pageFields } from '../../platform/http/schemas/page.ts'
import {
  Count,
  DateOnly,
  GivenId,
  Id,
  IdList,
  Pence,
  Text,
  Timestamp,
  timestamp,
  WholeNumber,
} from '../../platform/http/schemas/values.ts'
import { type IsoDate, isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import { compareRateCards, type RateCardComparison } from '../../quoting/rates/comparison/compare-rate-cards.ts'
import { restrictRateCard, scheduleRateCard, withdrawRateCard } from '../../quoting/rates/life/change-rate-card.ts'
import { type RateCardLife, rateCardChanges, rateCardStates, stateOf } from '../../quoting/rates/life/rate-card-life.ts'
import { listRateCards, loadRateCard } from '../../quoting/rates/load-rate-card.ts'
import { publishRateCard } from '../../quoting/rates/publish-rate-card.ts'
import { type RateCard, rateCardSchema } from '../../quoting/rates/rate-card.ts'
import { rateCardProblems } from '../../quoting/rates/rate-card-rules.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { effectOfWithdrawal, listSignedHouseholds } from './withdrawal.ts'

const RateCardChangeObject = ResponseObject('RateCardChange', 'What happened to a rate card.', {
  change: Choice(rateCardChanges, 'What happened.'),
  by: Text(255, 'The client id or the login name of who did it.'),
  at: Timestamp('When it happened.'),
})

export const RateCardObject = ResponseObject('OperatorRateCard', 'A rate card, without its figures.', {
  quotingToolVersionId: Id('The id under which partners choose it.'),
  name: Text(200, 'Its name.'),
  state: Choice(
    rateCardStates,
    'A card can be chosen while it is `on_sale`. `ended` and `withdrawn` cards are not sold again.',
  ),
  onSaleFrom: Nullable(DateOnly('The first day of sale; null for no limit.')),
  onSaleTo: Nullable(DateOnly('The last day of sale; null for no limit.')),
  partnerIds: Nullable(
    Type.Array(Id('The id of a partner.'), {
      maxItems: 10_000,
      description: 'The partners who may choose it; null if every partner may.',
    }),
  ),
  sha256: Text(64, 'The SHA-256 of its figures, in hexadecimal.'),
  publishedAt: Timestamp('When it was published.'),
  withdrawnAt: Nullable(Timestamp('When it was withdrawn; null if it was not.')),
  signingStoppedAt: Nullable(Timestamp('Since when nobody signs on it any more; null if that was not stopped.')),
  changes: Type.Array(RateCardChangeObject, { maxItems: 10_000, description: 'Its history, oldest first.' }),
})

export const RateCardList = ResponseObject('OperatorRateCardList', 'All rate cards.', {
  data: Type.Array(RateCardObject, {
    maxItems: 10_000,
    description: 'The latest published first.',
  }),
})

function presentRateCard(
  { quotingToolVersionId, name, onSaleFrom, onSaleTo, partnerIds, sha256, ...card }: RateCardLife,
  today: IsoDate,
): Static<typeof RateCardObject> {
  const { publishedAt, withdrawnAt, signingStoppedAt, changes } = card
  const state = stateOf({ quotingToolVersionId, name, onSaleFrom, onSaleTo, partnerIds, sha256, ...card }, today)
  return {
    ...{ quotingToolVersionId, name, state, onSaleFrom, onSaleTo, partnerIds, sha256 },
    publishedAt: timestamp(publishedAt),
    withdrawnAt: withdrawnAt === null ? null : timestamp(withdrawnAt),
    signingStoppedAt: signingStoppedAt === null ? null : timestamp(signingStoppedAt),
    changes: changes.map(({ change, by, at }) => ({ change, by, at: timestamp(at) })),
  }
}

const SampleCostObject = ResponseObject('SampleCost', 'What a sample home pays, with VAT and without set-up.', {
  yearlyCost: Pence('For a year, in pence.'),
  monthlyCost: Pence('For an average month, in pence.'),
})
const Change = (description: string) => WholeNumber({ minimum: -2_147_483_648, maximum: 2_147_483_647, description })
const Figure = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean(), Type.Null()], {
  description: 'The figure; null if the card has none.',
})

export const RateCardComparisonObject = ResponseObject('RateCardComparison', 'Two rate cards compared.', {
  before: Id('The id of the first card.'),
  after: Id('The id of the second card.'),
  contractStartDate: DateOnly('The first day of the sample contracts.'),
  figures: Type.Array(
    ResponseObject('RateCardFigure', 'A figure that differs.', {
      pointer: Text(500, 'Where it is in the card, as a JSON pointer.'),
      before: Figure,
      after: Figure,
    }),
    { maxItems: 100_000, description: 'Every figure that differs.' },
  ),
  homes: Type.Array(
    ResponseObject('SampleHome', 'A sample home on both cards.', {
      region: Text(2, 'The GSP group, such as `_C`.'),
      tenants: WholeNumber({ minimum: 1, maximum: 12, description: 'How many people share it.' }),
      hasGas: Type.Boolean({ description: 'Whether it has gas.' }),
      before: Nullable(SampleCostObject),
      after: Nullable(SampleCostObject),
      difference: Nullable(
        ResponseObject('SampleCostDifference', 'After minus before.', {
          yearlyCost: Change('For a year, in pence.'),
          monthlyCost: Change('For an average month, in pence.'),
          percent: Nullable(Type.Number({ description: 'Of the yearly cost before, to two decimals.' })),
        }),
      ),
    }),
    { maxItems: 1_000, description: 'Every region, with and without gas, with 1 to 6 tenants.' },
  ),
})

function presentComparison({
  before,
  after,
  ...comparison
}: RateCardComparison): Static<typeof RateCardComparisonObject> {
  return { before: before.quotingToolVersionId, after: after.quotingToolVersionId, ...comparison }
}

const common = { tag: 'Rate cards', scope: 'rates:write' } as const
const about = { ...common, idDescription: 'The quotingToolVersionId', reply: RateCardObject } as const

interface Changed {
  card: RateCardLife
  today: IsoDate
}
const present = ({ card, today }: Changed) => presentRateCard(card, today)

export const listRateCardsRoute = operatorRoute({
  ...common,
  operationId: 'listRateCards',
  method: 'GET',
  path: '/RateCards',
  summary: 'List rate cards',
  description: 'Returns every rate card with its state and history, without its figures.',
  reply: RateCardList,
  handle: async ({ db, clock }) => ({
    cards: await listRateCards({ db, clock }),
    today: londonDate(clock.now()),
  }),
  present: ({ cards, today }) => ({ data: cards.map((card) => presentRateCard(card, today)) }),
})

export const compareRateCardsRoute = operatorRoute({
  ...common,
  operationId: 'compareRateCards',
  method: 'GET',
  path: '/RateCards/compare',
  summary: 'Compare two rate cards',
  description: 'Returns every figure that differs, and what sample homes pay on both cards.',
  query: Type.Object(
    { before: GivenId('The id of a rate card.'), after: GivenId('The id of the card to compare it with.') },
    { additionalProperties: false },
  ),
  reply: RateCardComparisonObject,
  errors: ['not_found', 'validation_failed'],
  handle: async ({ db, clock }, _caller, { query: { before, after } }) => {
    const [first, second] = [await loadRateCard({ db }, before), await loadRateCard({ db }, after)]
    return compareRateCards(first, second, londonDate(clock.now()))
  },
  present: presentComparison,
})

export const publishRateCardRoute = operatorRoute({
  ...common,
  operationId: 'publishRateCard',
  method: 'POST',
  path: '/RateCards',
  summary: 'Publish a rate card',
  description:
    'Publishes a rate card. It is then on sale on its days, and its figures never change. Publishing the same card again changes nothing; other figures under its id are rejected. To restrict a card before anybody can choose it, give it a first day that is still ahead.',
  body: RequestObject('PublishRateCardRequest', 'The card.', {
    card: Type.Object(
      {},
      { additionalProperties: true, description: 'The rate card, in the format that `housebill rates check` checks.' },
    ),
  }),
  refine: cardErrors,
  reply: RateCardObject,
  errors: ['validation_failed'],
  handle: async ({ db, clock }, { clientId }, { body }) => {
    // This cast is safe: `refine` has checked the card.
    const card = body.card as unknown as RateCard
    const published = await publishRateCard({ db }, card, clientId)
    if (published.outcome === 'rejected') throw invalidFields(fieldsOf(published.problems))
    const found = (await listRateCards({ db, clock })).find((each) => each.quotingToolVersionId === card.id)
    if (found === undefined) throw new Error('a published card is not listed')
    return { card: found, today: londonDate(clock.now()) }
  },
  present,
})

export const scheduleRateCardRoute = operatorRoute({
  ...about,
  operationId: 'scheduleRateCard',
  method: 'POST',
  path: '/RateCards/{id}/schedule',
  summary: 'Set the days of sale',
  body: RequestObject('ScheduleRateCardRequest', 'The days of sale. Leave one out for no limit.', {
    onSaleFrom: Type.Optional(DateOnly('The first day of sale. It cannot change once it has begun.')),
    onSaleTo: Type.Optional(DateOnly('The last day of sale.')),
  }),
  errors: ['validation_failed', 'rate_card_change_not_allowed'],
  handle: async ({ db, clock }, { clientId: by }, { parameter, body: { onSaleFrom, onSaleTo } }) => {
    const today = londonDate(clock.now())
    const from = onSaleFrom === undefined ? null : isoDate(onSaleFrom)
    const to = onSaleTo === undefined ? null : isoDate(onSaleTo)
    const card = await scheduleRateCard({ db }, { quotingToolVersionId: parameter('id'), by, from, to, today })
    return { card, today }
  },
  present,
})

export const restrictRateCardRoute = operatorRoute({
  ...about,
  operationId: 'restrictRateCard',
  method: 'POST',
  path: '/RateCards/{id}/restrict',
  summary: 'Restrict a card to partners',
  description: 'Lets only these partners see and choose the card. Quotes of others keep their price until they expire.',
  body: RequestObject('RestrictRateCardRequest', 'The partners. Leave `partnerIds` out for every partner.', {
    partnerIds: Type.Optional(IdList('The ids of the partners.', 1_000)),
  }),
  errors: ['validation_failed', 'rate_card_change_not_allowed'],
  handle: async ({ db, clock }, { clientId: by }, { parameter, body: { partnerIds = null } }) => ({
    card: await restrictRateCard({ db }, { quotingToolVersionId: parameter('id'), by, partnerIds }),
    today: londonDate(clock.now()),
  }),
  present,
})

const MoreOrLess = (description: string) => Nullable(Change(description))

export const WithdrawnRateCard = ResponseObject('WithdrawnRateCard', 'A rate card that is withdrawn, or would be.', {
  ...RateCardObject.properties,
  effect: ResponseObject('RateCardWithdrawal', 'What the card prices at the moment of the call.', {
    defaultId: Nullable(Id('The default once the card is withdrawn; null if nothing can be priced then.')),
    open: Count('How many open quotes can be agreed to at its prices.'),
    active: Count('How many active quotes can, which nobody has signed.'),
    signed: Count('In how many households somebody has signed. They keep their price.'),
    difference: MoreOrLess(
      'How many pence more they would pay on that default; null without one, and if they are more than 200.',
    ),
  }),
})

export const withdrawRateCardRoute = operatorRoute({
  ...about,
  operationId: 'withdrawRateCard',
  method: 'POST',
  path: '/RateCards/{id}/withdraw',
  summary: 'Withdraw a card',
  description:
    'Takes a card off sale for ever. Quotes keep their price until they expire, and are then repriced on the card that is the default then. With `stopSigning`, the prices of quotes that nobody has signed end within minutes: they are open and repriced on the present default, and their tenants read the new offer. A household in which somebody has signed keeps its price. Try it first with `dryRun`. Repeating the call is harmless.',
  query: Type.Object(
    {
      ...dryRunQuery.properties,
      stopSigning: Type.Optional(
        Type.Enum(['true', 'false'], {
          type: 'string',
          description: 'With `true`, nobody signs on the card any more. Also for a card that is withdrawn already.',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  reply: WithdrawnRateCard,
  errors: ['validation_failed'],
  handle: async (deps, { clientId: by }, { parameter, query }) => {
    const quotingToolVersionId = parameter('id')
    const stopSigning = query.stopSigning === 'true'
    const { card, effect } = await effectOfWithdrawal(deps, quotingToolVersionId)
    const isTried = query.dryRun === 'true'
    const after = isTried ? card : await withdrawRateCard(deps, { quotingToolVersionId, by, stopSigning })
    return { card: after, effect, today: londonDate(deps.clock.now()) }
  },
  present: ({ effect, ...changed }) => ({ ...present(changed), effect }),
})

const SignedHouseholdObject = ResponseObject('RateCardHousehold', 'A household in which somebody has signed.', {
  partnerId: Id('The id of the partner.'),
  quoteId: Id('The id of the quote.'),
  status: Choice(['active', 'completed'], '`completed` once everybody has signed.'),
  totalCost: Pence('What was agreed for the whole contract, in pence.'),
  totalCostOnDefault: Nullable(Pence('The same on the default; null without one, or if it has no such packages.')),
  difference: MoreOrLess('How many pence more that is; null where it is not known.'),
})

export const RateCardHouseholdList = ResponseObject('RateCardHouseholdList', 'One page of a list.', {
  ...pageFields(SignedHouseholdObject),
  defaultId: Nullable(Id('The card with which they are compared; null if none is on sale.')),
})

export const listRateCardHouseholdsRoute = operatorRoute({
  ...common,
  operationId: 'listRateCardHouseholds',
  path: '/RateCards/{id}/households',
  idDescription: 'The quotingToolVersionId',
  summary: 'List who signed on a card',
  description:
    'Returns the households that have a contract at the prices of a card or are about to, each compared with the present default without that card.',
  query: Type.Object(PageQuery, { additionalProperties: false }),
  reply: RateCardHouseholdList,
  errors: ['validation_failed'],
  handle: (deps, _caller, { parameter, query: { limit = 20, cursor } }) =>
    listSignedHouseholds(deps, {
      quotingToolVersionId: parameter('id'),
      after: idFromCursor(cursor, 'quote'),
      limit,
    }),
  present: ({ households, defaultId, hasMore }) => ({
    data: households.map(({ stage, ...household }) => ({
      ...household,
      status: stage === 'completed' ? ('completed' as const) : ('active' as const),
    })),
    nextCursor: cursorAfter(households, hasMore, ({ quoteId }) => quoteId),
    defaultId,
  }),
})

const schema = rateCardSchema()

function cardErrors(body: unknown): FieldError[] {
  const card: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'card') : undefined
  if (typeof card !== 'object' || card === null) return []
  const problems = jsonProblems(card, schema)
  return fieldsOf(problems.length > 0 ? problems : rateCardProblems(card as RateCard))
}

function fieldsOf(problems: readonly { pointer?: string; detail: string }[]): FieldError[] {
  return problems.map(({ pointer = '', detail }) => ({ pointer: `/card${pointer}`, code: 'not_allowed', detail }))
}

import Type from 'typebox'
import { jsonProblems } from '../../platform/http/pipeline/json-problems.ts'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, GivenId, IdList } from '../../platform/http/schemas/values.ts'
import { type IsoDate, isoDate, londonDate } from '../../platform/kernel/dates.ts'
import { type FieldError, invalidFields } from '../../platform/kernel/errors.ts'
import { compareRateCards } from '../../quoting/rates/comparison/compare-rate-cards.ts'
import { restrictRateCard, scheduleRateCard, withdrawRateCard } from '../../quoting/rates/life/change-rate-card.ts'
import type { RateCardLife } from '../../quoting/rates/life/rate-card-life.ts'
import { listRateCards, loadRateCard } from '../../quoting/rates/load-rate-card.ts'
import { publishRateCard } from '../../quoting/rates/publish-rate-card.ts'
import { type RateCard, rateCardSchema } from '../../quoting/rates/rate-card.ts'
import { rateCardProblems } from '../../quoting/rates/rate-card-rules.ts'
import { operatorRoute } from '../http/operator-route.ts'
import {
  presentComparison,
  presentRateCard,
  RateCardComparisonObject,
  RateCardList,
  RateCardObject,
} from './rate-card.schema.ts'

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

export const withdrawRateCardRoute = operatorRoute({
  ...about,
  operationId: 'withdrawRateCard',
  method: 'POST',
  path: '/RateCards/{id}/withdraw',
  summary: 'Withdraw a card',
  description:
    'Takes a card off sale for ever. Quotes keep their price until they expire, and are then repriced on the card that is the default then. Repeating the call is harmless.',
  handle: async ({ db, clock }, { clientId: by }, { parameter }) => ({
    card: await withdrawRateCard({ db }, { quotingToolVersionId: parameter('id'), by }),
    today: londonDate(clock.now()),
  }),
  present,
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

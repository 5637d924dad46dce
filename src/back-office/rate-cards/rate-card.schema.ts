import Type, { type Static } from 'typebox'
import { Choice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { DateOnly, Id, Pence, Text, Timestamp, timestamp, WholeNumber } from '../../platform/http/schemas/values.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { RateCardComparison } from '../../quoting/rates/comparison/compare-rate-cards.ts'
import { type RateCardLife, rateCardChanges, rateCardStates, stateOf } from '../../quoting/rates/life/rate-card-life.ts'

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
  changes: Type.Array(RateCardChangeObject, { maxItems: 10_000, description: 'Its history, oldest first.' }),
})

export const RateCardList = ResponseObject('OperatorRateCardList', 'All rate cards.', {
  data: Type.Array(RateCardObject, {
    maxItems: 10_000,
    description: 'The latest published first.',
  }),
})

export function presentRateCard(
  { quotingToolVersionId, name, onSaleFrom, onSaleTo, partnerIds, sha256, ...card }: RateCardLife,
  today: IsoDate,
): Static<typeof RateCardObject> {
  const { publishedAt, withdrawnAt, changes } = card
  const state = stateOf({ quotingToolVersionId, name, onSaleFrom, onSaleTo, partnerIds, sha256, ...card }, today)
  return {
    ...{ quotingToolVersionId, name, state, onSaleFrom, onSaleTo, partnerIds, sha256 },
    publishedAt: timestamp(publishedAt),
    withdrawnAt: withdrawnAt === null ? null : timestamp(withdrawnAt),
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

export function presentComparison({
  before,
  after,
  ...comparison
}: RateCardComparison): Static<typeof RateCardComparisonObject> {
  return { before: before.quotingToolVersionId, after: after.quotingToolVersionId, ...comparison }
}

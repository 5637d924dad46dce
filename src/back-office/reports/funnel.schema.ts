import Type, { type Static } from 'typebox'
import { Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { pageFields } from '../../platform/http/schemas/page.ts'
import { Count, DateOnly, Id, Pence, Text, Timestamp } from '../../platform/http/schemas/values.ts'
import { addDays, daysInPeriod, type IsoDate } from '../../platform/kernel/dates.ts'
import { type DomainError, invalidFields } from '../../platform/kernel/errors.ts'

/** The first and the last day of a report. Both belong to it. */
export interface Period {
  from: IsoDate
  to: IsoDate
}

/** How many days a report covers unless its days are given, and how many it can cover. */
export const defaultDays = 30
export const maxDays = 366

/** The days of a report: the last 30 by default. Throws `validation_failed` for a period that is empty or too long. */
export function periodOf(
  { from, to }: { from?: IsoDate | undefined; to?: IsoDate | undefined },
  today: IsoDate,
): Period {
  const last = to ?? (from !== undefined && from > today ? from : today)
  const period = { from: from ?? addDays(last, 1 - defaultDays), to: last }
  const days = daysInPeriod(period.from, period.to)
  if (days < 1) throw wrongPeriod(`must not be later than to, which is ${period.to}.`)
  if (days > maxDays) throw wrongPeriod(`must be at most ${maxDays - 1} days before to, which is ${period.to}.`)
  return period
}

function wrongPeriod(must: string): DomainError {
  const detail = `The day from ${must} Change one of them, or leave both out.`
  return invalidFields([{ pointer: '/query/from', code: 'not_allowed', detail }])
}

/** The most entries of a page. */
export const maxFunnelPage = 500

/**
 * The columns of the report, in the order in which households reach the stages: of the API, the files and the command.
 * funnel-days.store.ts counts them.
 */
const FunnelDayObject = ResponseObject(
  'FunnelDay',
  'What became of the quotes that a partner created on a day: how many have reached each stage until now.',
  {
    date: DateOnly('The day on which the quotes were created.'),
    partnerId: Id('The id of the partner.'),
    partnerName: Text(200, 'The name of the partner.'),
    quotes: Count('Quotes that were created.'),
    priced: Count('Those with a price, because packages were selected. Expired prices count.'),
    tenants: Count('Those with at least one tenant.'),
    details: Count('Those with at least one tenant whose personal details are final.'),
    card: Count('Those with at least one tenant who attached a card, whether or not a payment failed later.'),
    accepted: Count('Those with at least one tenant who accepted the terms, whatever became of the contract.'),
    inForce: Count(
      'Those whose contracts took effect, because every tenant accepted, whether or not they have ended since.',
    ),
    value: Pence(
      'The agreed total of the households in `inForce`, for the whole term and in pence, including VAT and set-up: the sum of the shares as the household accepted them. Cancelling, ending early and replacing a housemate do not change it.',
    ),
  },
)
export type FunnelDay = Static<typeof FunnelDayObject>
export const funnelColumns = Object.keys(FunnelDayObject.properties) as (keyof FunnelDay)[]

export const FunnelObject = ResponseObject('Funnel', 'A page of the funnel, oldest day first.', {
  asOf: Timestamp('Everything that was written before this moment is counted.'),
  from: DateOnly('The first day of the report.'),
  to: DateOnly('The last day of the report.'),
  ...pageFields(FunnelDayObject, {
    max: maxFunnelPage,
    description: 'One entry for each partner and day on which it created a quote.',
  }),
})

/** How far the households of a partner can have got, in this order. */
export const salesStages = {
  quoted: Count('Quotes that were created in the week.'),
  invited: Count('Those with a tenant who has a link to their pages, or who got further.'),
  opened: Count('Those with a tenant who opened their pages, or signed elsewhere.'),
  signed: Count('Those with a tenant who signed, whatever became of the contract.'),
  inForce: Count(
    'Those whose contracts took effect, because every tenant signed, whether or not they have ended since.',
  ),
  ended: Count('Those whose contracts took effect, and of which none is in force any more.'),
}

const SalesWeekObject = ResponseObject('SalesWeek', 'What a branch quoted and sold in a week.', {
  week: DateOnly('The Monday with which the week begins.'),
  branch: Nullable(Text(100, 'The branch, as you named it; null for none.')),
  ...salesStages,
  households: Count('Households of which a contract took effect in the week, whenever they were quoted.'),
  contracts: Count('Contracts that took effect in the week, which can earn commission.'),
})
export type SalesWeek = Static<typeof SalesWeekObject>

export const SalesObject = ResponseObject('Sales', 'What you quoted and sold, by week and branch.', {
  from: DateOnly('The first day that is counted.'),
  to: DateOnly('The last day that is counted.'),
  data: Type.Array(SalesWeekObject, { maxItems: 100_000, description: 'The weeks with something, oldest first.' }),
})

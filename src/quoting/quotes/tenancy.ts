import { addDays, calendarMonthsBetween, type IsoDate, lastDayOfTerm } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import type { Maybe } from '../../properties/meter-facts/meter-facts.ts'
import type { Nation } from '../../properties/property.ts'
import type { QuotePolicy } from './quote-policy.ts'

/** The kinds of right by which tenants live in a home. `assured_periodic` is England's since 1 May 2026. */
export const tenancyTypes = [
  'assured_periodic',
  'common_law',
  'occupation_contract',
  'private_residential',
  'licence_or_lodger',
  'unknown',
] as const

/** What is known of the tenancy of a household. */
export interface Tenancy {
  type: (typeof tenancyTypes)[number]
  /** Whether the tenants hold one tenancy together. */
  joint: Maybe
  students: Maybe
  /** The first day of the tenancy. */
  startedOn: IsoDate | null
  /** The last day of a fixed term, before which the tenancy cannot simply be ended. */
  fixedUntil: IsoDate | null
  /** The day on which the tenancy is expected to end: what a CRM calls its end. */
  expectedUntil: IsoDate | null
}

/** A tenancy as somebody gives it: only what they know or want to change. */
export type GivenTenancy = Partial<Tenancy>

const nothingKnown: Tenancy = {
  type: 'unknown',
  joint: 'unknown',
  students: 'unknown',
  startedOn: null,
  fixedUntil: null,
  expectedUntil: null,
}

/** The tenancy with what somebody said of it. Null while nobody has said anything. */
export function withTenancy(known: Tenancy | null, given: GivenTenancy | undefined): Tenancy | null {
  return given === undefined ? known : { ...nothingKnown, ...known, ...given }
}

/** The parts of a quote that decide what its tenancy means. */
interface TenancyOfHome {
  tenancy: Tenancy | null
  address: { country: string }
}

/**
 * Whether one tenant's valid notice ends the tenancy for all: only in a joint assured tenancy in England. Whatever is
 * unknown counts as several tenancies, one for each person.
 */
export function isJointAssuredInEngland({ tenancy, address }: TenancyOfHome): boolean {
  return tenancy?.type === 'assured_periodic' && tenancy.joint === true && address.country === 'England'
}

/** The nation of the tenancy types that only one has. */
const nationOf: Partial<Record<Tenancy['type'], Nation>> = {
  assured_periodic: 'England',
  occupation_contract: 'Wales',
  private_residential: 'Scotland',
}

/** Where a quote's contract and tenancy do not fit, in sentences for a developer; empty if they do or nothing is known. */
export function tenancyDisagreements(
  quote: TenancyOfHome & { contractStartDate: IsoDate; contractEndDate: IsoDate },
): string[] {
  const { tenancy, address, contractStartDate: from, contractEndDate: to } = quote
  if (tenancy === null) return []
  const { type, startedOn } = tenancy
  const nation = nationOf[type]
  const end = endOf(tenancy)
  return [
    ...(nation === undefined || nation === address.country
      ? []
      : [`A tenancy of the type ${type} is one of ${nation}, and the home is in ${address.country}. Check the type.`]),
    ...(startedOn !== null && from < startedOn
      ? [`The contract begins on ${dayInWords(from)}, before the tenancy on ${dayInWords(startedOn)}. Check both days.`]
      : []),
    ...(end !== null && to > end
      ? [
          `The contract goes on until ${dayInWords(to)}, but the tenancy is to end on ${dayInWords(end)}. To sell it for the tenancy only, create a quote with that contractEndDate.`,
        ]
      : []),
  ]
}

/** The day on which the tenancy is to end, as far as anybody has said. */
export function endOf(tenancy: Tenancy | null): IsoDate | null {
  return tenancy?.expectedUntil ?? tenancy?.fixedUntil ?? null
}

/** What decides how long a contract lasts. */
interface ContractLength {
  tenancy: Tenancy | null
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  /** By the terms that were agreed; null or absent while the operator's of today apply. */
  isFreeWhenTenancyEnds?: boolean | null
}

/**
 * How long the contract lasts, within a sentence: "for 12 months, or until your tenancy ends". Without the second part
 * if the terms ask for a fee then, or if somebody said when the tenancy is to end.
 */
export function contractTermInWords(
  { tenancy, contractStartDate: from, contractEndDate: to, isFreeWhenTenancyEnds: agreed }: ContractLength,
  today: Pick<QuotePolicy, 'isFreeWhenTenancyEnds'>,
): string {
  const months = calendarMonthsBetween(from, addDays(to, 1))
  const isWhole = months > 0 && lastDayOfTerm(from, months) === to
  const length = isWhole ? `for ${months === 1 ? 'one month' : `${months} months`}` : `until ${dayInWords(to)}`
  const isFree = agreed ?? today.isFreeWhenTenancyEnds
  return isFree && endOf(tenancy) === null ? `${length}, or until your tenancy ends` : length
}

import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Maybe } from '../../properties/meter-facts/meter-facts.ts'

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

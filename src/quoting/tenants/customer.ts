import type { PaymentErrorCode } from '../../payments/payment-error.ts'
import { addDays, addMonths, earlierOf, type IsoDate, isIsoDate, isoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { noLastName } from '../../platform/kernel/plain-text.ts'
import type { Metadata } from '../quotes/metadata.ts'
import type { PsrCategory, PsrDetails } from './psr.ts'

/** The category "families with young children" covers children of five and under. */
const youngChildMonths = 6 * 12

/** The last day on which a need exists; null if it does not end. */
export function lastDayOfNeed({ expiryDate, youngestChildDateOfBirth: birth }: PsrCategory): IsoDate | null {
  if (expiryDate !== undefined) return isoDate(expiryDate)
  return birth === undefined ? null : addDays(addMonths(isoDate(birth), youngChildMonths), -1)
}

/**
 * The day on which what is registered must be reviewed: the day after the next need ends, `infinity` if no need ends
 * any more, `-infinity` if all have ended. Null without needs.
 */
export function psrReviewOn(psr: PsrDetails | null, today: IsoDate): IsoDate | 'infinity' | '-infinity' | null {
  if (psr?.hasPsr !== true) return null
  const lastDays = (psr.categories ?? []).map(lastDayOfNeed)
  const ahead = lastDays.filter((day) => day !== null).filter((day) => day >= today)
  const [first, ...others] = ahead
  if (first !== undefined) return addDays(others.reduce(earlierOf, first), 1)
  return lastDays.includes(null) ? 'infinity' : '-infinity'
}

/**
 * Whether someone's 18th birthday is after today. Anyone born on 29 February turns 18 on 1 March, because the year
 * eighteen years after a leap year is never a leap year (Family Law Reform Act 1969, section 9).
 */
export function isUnder18(dateOfBirth: string, today: IsoDate): boolean {
  return isIsoDate(dateOfBirth) && eighteenthBirthday(dateOfBirth) > today
}

/** The 18th birthday, as a string that sorts like a date. */
function eighteenthBirthday(dateOfBirth: IsoDate): string {
  const year = Number(dateOfBirth.slice(0, 4)) + 18
  const day = dateOfBirth.slice(5)
  return `${year}-${day === '02-29' ? '03-01' : day}`
}

/** The given details that differ from those before. Unicode can write the same characters in several ways. */
export function detailsChanged<Given extends Partial<PersonalDetails>>(before: PersonalDetails, given: Given): Given {
  const asCompared = (value: unknown) => (typeof value === 'string' ? value.normalize('NFC') : JSON.stringify(value))
  const changed = Object.entries(given).filter(
    ([name, value]) => asCompared(value) !== asCompared(before[name as keyof PersonalDetails]),
  )
  return Object.fromEntries(changed) as Given
}

export const customerStatuses = ['active', 'PersonalInfoComplete', 'OnboardingComplete'] as const
export type CustomerStatus = (typeof customerStatuses)[number]

/**
 * `ready`: a card is attached. `paid` and `failed`: the outcome of the operator's latest collection, as the processor
 * reported it.
 */
export const paymentStatuses = ['not_started', 'setup_started', 'setup_failed', 'ready', 'paid', 'failed'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** Whether a card is attached: also if a payment from it has failed. */
export function hasCard({ paymentStatus }: { paymentStatus: PaymentStatus }): boolean {
  return paymentStatus === 'ready' || paymentStatus === 'paid' || paymentStatus === 'failed'
}

/** What a customer has to do next before they have a contract: give their details, add a card, or agree. */
export const nextSteps = ['details', 'card', 'agreement'] as const
export type NextStep = (typeof nextSteps)[number]

/** What became of the last e-mail to a customer. */
export const emailFates = ['sent', 'given_up', 'refused', 'not_permitted', 'test_address'] as const
export type EmailFate = (typeof emailFates)[number]

/** Evidence that a person allowed us to write to them before they have a contract. */
export interface ContactPermission {
  /** ISO 8601, in UTC. */
  givenAt: string
  /** Who obtained it, or how, in the partner's words. */
  by: string
}

/**
 * The details of a person who has not provided any. A field that is missing in stored details also gets its value from
 * here.
 */
export const unknownDetails = {
  firstName: '',
  lastName: '',
  email: '',
  /** The phone number in E.164 format; "" until personal information is finalised. */
  phone: '',
  /** Null until personal information is finalised. */
  dateOfBirth: null as string | null,
  /** Where the person wants letters after they leave the home; "" if they did not say. Never shown to housemates. */
  forwardingAddress: '',
  /** What the partner keeps with this person. */
  metadata: {} as Metadata,
  /** Null if the partner sent none. */
  contactPermission: null as ContactPermission | null,
}

/** A person's details, encrypted as a whole in the database. */
export type PersonalDetails = typeof unknownDetails

/** What responses contain instead of the personal details after an erasure. */
export const erasedDetails: PersonalDetails = { ...unknownDetails, firstName: 'Erased' }

/** What the customer agreed to at accept-terms, stored as evidence. */
export interface Acceptance {
  termsVersion: string
  htmlSha256: string
  pdfSha256: string
  /** The tenant's share in pence, for the whole term and per month. */
  totalCost: number
  monthlyCost: number
  /**
   * What the tenant was shown last before they accepted; null if nothing. Absent from acceptances from before this was
   * recorded.
   */
  shown?: { source: string; documentHash: string | null; shownAt: string; openedAt: string | null } | null
}

/**
 * A tenant during onboarding and payment. The customerId equals the tenantId. Excludes the Priority Services Register
 * details, because only `findPsr` may read those and the audit log records each read.
 */
export interface Customer {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  joiningNumber: number
  status: CustomerStatus
  paymentStatus: PaymentStatus
  personal: PersonalDetails
  earlySupplyRequested: boolean
  /** Why the last attempt to attach a card or to collect a payment failed; null if it succeeded. */
  lastPaymentError: PaymentErrorCode | null
  termsAcceptedAt: Date | null
  /** The number of the contract that the customer agreed to last, whatever became of it; null if there was none. */
  contractNumber: string | null
  /** When the customer left the quote. Only customers who once had a contract are kept. */
  removedAt: Date | null
  /** When the personal data was erased (except for what the law requires us to keep). */
  erasedAt: Date | null
}

/** Splits a full name at its last space. A single word is a first name. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const trimmed = name.trim()
  const lastSpace = trimmed.search(/\s+\S+$/u)
  if (lastSpace === -1) return { firstName: trimmed, lastName: '' }
  return { firstName: trimmed.slice(0, lastSpace), lastName: trimmed.slice(lastSpace).trim() }
}

/** First and last name, joined by a space; the first name alone if there is no last name. */
export function fullName(personal: Pick<PersonalDetails, 'firstName' | 'lastName'>): string {
  return [personal.firstName, personal.lastName].filter((part) => part !== '' && part !== noLastName).join(' ')
}

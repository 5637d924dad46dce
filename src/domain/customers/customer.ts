import type { Id } from '../../kernel/ids.ts'
export const customerStatuses = ['active', 'PersonalInfoComplete', 'OnboardingComplete'] as const
export type CustomerStatus = (typeof customerStatuses)[number]

/** `ready`: a card is attached. `paid` and `failed` are the operator's collection, reported by the processor. */
export const paymentStatuses = ['not_started', 'setup_started', 'setup_failed', 'ready', 'paid', 'failed'] as const
export type PaymentStatus = (typeof paymentStatuses)[number]

/** What is known of the person; encrypted as a whole in the database. Before finalising, phone is "" and there is no birth date. */
export interface PersonalDetails {
  firstName: string
  lastName: string
  email: string
  /** E.164, or "" before it is known. */
  phone: string
  dateOfBirth: string | null
}

/** What is known of somebody before they say anything; also what was stored before a field was added. */
export const unknownDetails: PersonalDetails = { firstName: '', lastName: '', email: '', phone: '', dateOfBirth: null }

/** What responses show in place of the personal details after an erasure. */
export const erasedDetails: PersonalDetails = { ...unknownDetails, firstName: 'Erased' }

/** What was agreed at accept-terms, kept as evidence. */
export interface Acceptance {
  termsVersion: string
  htmlSha256: string
  pdfSha256: string
  /** The tenant's share in pence, whole term and month. */
  totalCost: number
  monthlyCost: number
}

/**
 * A tenant of a quote in the later steps; customerId = tenantId. Without their needs on the Priority Services Register: those
 * are read by `findPsr` alone, which is audited.
 */
export interface Customer {
  customerId: Id<'tenant'>
  quoteId: Id<'quote'>
  partnerId: Id<'partner'>
  joiningNumber: number
  status: CustomerStatus
  paymentStatus: PaymentStatus
  personal: PersonalDetails
  supplyDuringCancellation: boolean
  termsAcceptedAt: Date | null
  /** Since when nothing of the person is known here but what the law needs. */
  erasedAt: Date | null
}

/** `personalDetails` before finalising: the name split at its last space; a single word is a first name. */
export function splitName(name: string): { firstName: string; lastName: string } {
  const trimmed = name.trim()
  const lastSpace = trimmed.search(/\s+\S+$/u)
  if (lastSpace === -1) return { firstName: trimmed, lastName: '' }
  return { firstName: trimmed.slice(0, lastSpace), lastName: trimmed.slice(lastSpace).trim() }
}

/** First and last name as one. */
export function fullName(personal: Pick<PersonalDetails, 'firstName' | 'lastName'>): string {
  return [personal.firstName, personal.lastName].filter((part) => part !== '').join(' ')
}

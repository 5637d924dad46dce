import type { Confirmer } from '../partners/partner-settings.schema.ts'
import { addDays, endOfDayBefore, type IsoDate, londonDate } from '../platform/kernel/dates.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { QuotePrice } from '../quoting/pricing/price.ts'
import { lastDayOfRightToCancel } from '../quoting/quotes/quote-policy.ts'
import type { Acceptance } from '../quoting/tenants/customer.ts'

/**
 * The statuses of a contract. `agreed`: the tenant has accepted, but not every tenant of the household has, so nobody
 * owes anything.
 * `lapsed` and `superseded` contracts never took effect.
 */
export const contractStatuses = ['agreed', 'in_force', 'lapsed', 'superseded', 'cancelled', 'ended'] as const
export type ContractStatus = (typeof contractStatuses)[number]

/** Why a contract ended or never took effect, and why a quote or customer moved back. */
export const endReasons = [
  'lock_ended',
  'reopened',
  'quote_cancelled',
  'withdrawn',
  'cancelled',
  'notice',
  'replaced',
  'tenancy_ended',
  'tenancy_did_not_start',
  'property_uninhabitable',
  'term_over',
  'price_withdrawn',
] as const
export type EndReason = (typeof endReasons)[number]

/** The causes of an early end that everybody who sees the contract may know: each is an `EndReason`. */
export const publicCauses = ['tenancy_ended', 'tenancy_did_not_start', 'property_uninhabitable'] as const
export type PublicCause = (typeof publicCauses)[number]

/** What is said of the reason for an early end: `doubted` is for the operator, who makes it `settled`. */
export const endReasonChecks = ['confirmed', 'doubted', 'settled'] as const
export type EndReasonCheck = (typeof endReasonChecks)[number]

/**
 * Why a tenant ends their contract early. But for `publicCauses`, a cause is the tenant's and the operator's only: it is
 * stored encrypted, and to everybody else the reason is `notice`. `other` is an end for no cause.
 */
export const endCauses = [
  ...publicCauses,
  'breach_by_us',
  'moved_into_care',
  'serious_illness',
  'left_for_safety',
  'death',
  'other',
] as const
export type EndCause = (typeof endCauses)[number]

/** What everybody who sees the contract is told of a cause. */
export function endReasonOf(cause: EndCause): PublicCause | 'notice' {
  return isPublicCause(cause) ? cause : 'notice'
}

/** Whether everybody who sees the contract may know this cause. */
export function isPublicCause(cause: EndCause): cause is PublicCause {
  return publicCauses.some((each) => each === cause)
}

/**
 * Which statuses may follow each status. A test checks that no contract moves in any other way.
 * @internal Tests walk the table.
 */
export const mayBecome: Readonly<Record<ContractStatus, readonly ContractStatus[]>> = {
  agreed: ['in_force', 'lapsed', 'superseded', 'cancelled'],
  in_force: ['cancelled', 'ended'],
  lapsed: [],
  superseded: [],
  cancelled: [],
  ended: ['cancelled'],
}

/** Who did what an e-mail or a contract tells: the tenant on their pages, their partner, or the operator. */
export type MailActor = 'tenant' | 'partner' | 'operator'

/** A tenant's contract. The first and the last day both belong to it. */
export interface Contract {
  contractNumber: string
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  customerId: Id<'tenant'>
  status: ContractStatus
  agreedAt: Date
  /** When every tenant of the household had agreed; null until then. */
  effectiveAt: Date | null
  startsOn: IsoDate
  endsOn: IsoDate
  /**
   * The last day of a contract that ends or ended early, or the day on which one that never took effect came to
   * nothing.
   */
  endedOn: IsoDate | null
  endReason: EndReason | null
  /** Who set an early end, and can move it or take it back; null if there is none, or nobody but the operator can. */
  endSetBy: MailActor | null
  /** What the tenant agreed to; null once the records need no longer be kept. */
  acceptance: Acceptance | null
  /** The price with the tenant's own share only; null once the records need no longer be kept. */
  price: QuotePrice | null
  /** The hash of everything agreed (`preview/agreement.ts`); null until the agreement is recorded. */
  documentHash: string | null
  /**
   * Who sends the confirmation that the contract is in force; null until then, and for a contract from before there
   * were any.
   */
  confirmedBy: Confirmer | null
  /** When the confirmation was first sent; null until then. */
  confirmationSentAt: Date | null
}

/**
 * The end of the right to cancel without a reason: the end of its last day (`lastDayOfRightToCancel`). Null until the
 * contract has taken effect; a tenant may withdraw at any time before. Until the confirmation is sent, the day is the
 * earliest possible one.
 */
export function cancellableUntil(contract: Pick<Contract, 'effectiveAt' | 'confirmationSentAt'>): Date | null {
  const lastDay = lastDayToCancel(contract)
  return lastDay === null ? null : endOfDayBefore(addDays(lastDay, 1))
}

/** The last day of the right to cancel (`cancellableUntil`). */
export function lastDayToCancel({
  effectiveAt,
  confirmationSentAt,
}: Pick<Contract, 'effectiveAt' | 'confirmationSentAt'>): IsoDate | null {
  if (effectiveAt === null) return null
  return lastDayOfRightToCancel(londonDate(effectiveAt), londonDate(confirmationSentAt ?? effectiveAt))
}

/**
 * Whether a tenant who gave notice on this day may cancel. They always may while they are owed a confirmation that was
 * never sent.
 */
export function isCancellableOn(
  contract: Pick<Contract, 'effectiveAt' | 'confirmedBy' | 'confirmationSentAt'>,
  noticeGivenOn: IsoDate,
): boolean {
  const lastDay = lastDayToCancel(contract)
  const isOwedConfirmation = contract.confirmedBy !== null && contract.confirmationSentAt === null
  return lastDay === null || isOwedConfirmation || noticeGivenOn <= lastDay
}

/** Whether the contract binds the tenant, or will once the rest of the household has agreed. */
export function isBinding({ status }: Pick<Contract, 'status'>): boolean {
  return status === 'agreed' || status === 'in_force'
}

/**
 * A customer's contracts as they are at this moment, from a quote that has been read as of it. When the lock of the
 * quote has ended, its agreed contracts have lapsed, whether or not that has been stored.
 */
export function contractsAsOf(contracts: readonly Contract[], quote: { stage: string; expiresAt: Date }): Contract[] {
  return contracts.map((contract) =>
    contract.status === 'agreed' && quote.stage === 'open'
      ? { ...contract, status: 'lapsed', endedOn: londonDate(quote.expiresAt), endReason: 'lock_ended' }
      : contract,
  )
}

import type { Caller } from '../../partners/caller.ts'
import type { Tx } from '../../platform/db/database.ts'
import type { EndReason, PublicCause } from '../contract.ts'
import { type MailToTenant, queueMails, type TenantMailDependencies } from '../mails/queue-mails.ts'
import type { EndedEarly } from '../mails/tenant-mail-words.ts'
import type { ContractToEnd } from './contract-to-end.ts'

/** How a tenant's contract ends before its agreed last day. */
type EarlyEndReason = Extract<EndReason, 'withdrawn' | 'cancelled' | 'notice' | 'replaced' | PublicCause>

/**
 * Sends the tenant a receipt for the end of their contract (CCR 2013, reg. 32(4)), whoever acted: what we were told and
 * when, how the contract ends, and what is owed or paid back. The caller holds the quote's row lock.
 */
export async function sendReceipt(
  tx: Tx,
  deps: TenantMailDependencies,
  caller: Pick<Caller, 'partnerId' | 'now'>,
  { quote, customer: { customerId, personal }, contract: { contractNumber } }: ContractToEnd,
  {
    endReason,
    isMoved = false,
    isSilent = false,
    ...told
  }: Omit<EndedEarly, 'contractNumber'> & { endReason: EarlyEndReason; isMoved?: boolean; isSilent?: boolean },
): Promise<void> {
  const about = { customerId, personal, contractNumber }
  const facts = { ...told, contractNumber }
  const noticeReceived = (reason: PublicCause | 'notice'): MailToTenant => ({
    ...{ kind: 'notice_received', ...about, facts: { ...facts, reason, isMoved, isSilent } },
  })
  const mails: Record<EarlyEndReason, MailToTenant> = {
    withdrawn: { kind: 'cancelled', ...about, facts: { ...facts, isWithdrawn: true } },
    cancelled: { kind: 'cancelled', ...about, facts: { ...facts, isWithdrawn: false } },
    notice: noticeReceived('notice'),
    tenancy_ended: noticeReceived('tenancy_ended'),
    tenancy_did_not_start: noticeReceived('tenancy_did_not_start'),
    property_uninhabitable: noticeReceived('property_uninhabitable'),
    replaced: { kind: 'place_taken_over', ...about, facts },
  }
  await queueMails(tx, deps, caller, quote, [mails[endReason]])
}

import type { Caller } from '../../partners/caller.ts'
import { changePaymentStatus } from '../../payments/change-payment-status.ts'
import { markOpenIntentsForCancellation } from '../../payments/setup-intents/setup-intents.store.ts'
import type { Tx } from '../../platform/db/database.ts'
import { asOf, hasLapsed, type Quote, unlocked } from '../../quoting/quotes/quote.ts'
import { saveQuote } from '../../quoting/quotes/save-quote.ts'
import type { EndReason } from '../contract.ts'
import { endAgreements } from '../termination/end-agreements.ts'

type Owner = Pick<Caller, 'now' | 'partnerId'>

/**
 * Stores that the quote's lock has ended, if it has: the quote is open with expired prices, its contracts have lapsed,
 * and a job cancels the unfinished setup intents, whose customers are `not_started` again. Attached cards stay.
 * Records, for each customer with a contract, the contract's event and then the status; then the quote's status. The
 * caller holds the quote's lock.
 */
export async function storeEndedLock(tx: Tx, owner: Owner, quote: Quote): Promise<Quote> {
  if (!hasLapsed(quote, owner.now)) return quote
  await endAgreements(tx, owner, quote, { status: 'lapsed', reason: 'lock_ended' })
  await markOpenIntentsForCancellation(tx, quote)
  const ended = asOf(quote, owner.now)
  for (const { tenantId, paymentStatus } of ended.tenants)
    await changePaymentStatus(tx, quote, tenantId, paymentStatus, owner.now)
  return saveQuote(tx, owner, quote, ended, 'lock_ended')
}

/**
 * Ends what tenants have agreed to so far, because the quote is reopened or cancelled, and returns the quote without
 * its lock. The caller stores it.
 */
export async function supersedeAgreements(tx: Tx, owner: Owner, quote: Quote, reason: EndReason): Promise<Quote> {
  await endAgreements(tx, owner, quote, { status: 'superseded', reason })
  return unlocked(quote)
}

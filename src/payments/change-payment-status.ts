import { recordEvent } from '../events/record-event.ts'
import type { Tx } from '../platform/db/database.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Quote } from '../quoting/quotes/quote.ts'
import { withTenant } from '../quoting/quotes/quote.ts'
import type { PaymentStatus } from '../quoting/tenants/customer.ts'
import { updatePaymentStatus } from '../quoting/tenants/customers.store.ts'
import { findLedgerStatus } from './ledger/payment-entries.store.ts'
import { hasCollectionOutcome } from './setup-intents/setup-intent-report.ts'

/**
 * Changes a tenant's payment status and records the event. If the status is the same, does nothing or, with `isNews`,
 * only records the event. The caller holds the quote's row lock. Returns the quote with the changed tenant.
 */
export async function changePaymentStatus(
  tx: Tx,
  quote: Quote,
  tenantId: Id<'tenant'>,
  to: PaymentStatus,
  now: Date,
  { isNews = false }: { isNews?: boolean } = {},
): Promise<Quote> {
  const tenant = quote.tenants.find((each) => each.tenantId === tenantId)
  if (tenant === undefined || (tenant.paymentStatus === to && !isNews)) return quote
  const { partnerId, quoteId } = quote
  const { paymentStatus: previousPaymentStatus } = tenant
  if (previousPaymentStatus !== to) await updatePaymentStatus(tx, partnerId, tenantId, to, now)
  const data = { customerId: tenantId, quoteId, previousPaymentStatus, paymentStatus: to }
  await recordEvent(tx, { partnerId }, { type: 'customer.payment.updated', data })
  return withTenant(quote, { ...tenant, paymentStatus: to })
}

/**
 * Records the event of a change of payment information, with the status that follows from the ledger once anything was
 * collected or tried. The caller holds the quote's row lock.
 */
export async function reportPaymentChange(tx: Tx, quote: Quote, tenantId: Id<'tenant'>, now: Date): Promise<Quote> {
  return changeToLedgerStatus(tx, quote, tenantId, now, { isNews: true })
}

/**
 * Changes the status to the one that follows from the ledger. With `isNews`, records the event even if that is the
 * same.
 */
export async function changeToLedgerStatus(
  tx: Tx,
  quote: Quote,
  tenantId: Id<'tenant'>,
  now: Date,
  { isNews }: { isNews: boolean },
): Promise<Quote> {
  const tenant = quote.tenants.find((each) => each.tenantId === tenantId)
  if (tenant === undefined) return quote
  const { paymentStatus } = tenant
  const found = await findLedgerStatus(tx, quote.partnerId, tenantId)
  // Without an outcome, the card set-up decides.
  const to = found === 'ready' && !hasCollectionOutcome(paymentStatus) ? paymentStatus : found
  return changePaymentStatus(tx, quote, tenantId, to, now, { isNews })
}

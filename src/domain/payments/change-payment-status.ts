import type { Tx } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import type { PaymentStatus } from '../customers/customer.ts'
import { updatePaymentStatus } from '../customers/customers.store.ts'
import { recordEvent } from '../events/record-event.ts'
import type { Quote, QuoteTenant } from '../quotes/quote.ts'

/**
 * Changes a tenant's payment status and records the event. If the status is the same, does nothing or, with `isNews`, only records
 * the event. The caller holds the quote's lock. Returns the quote with the changed tenant.
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

/** Records the event of a change of payment information that leaves the status as it is. The caller holds the quote's lock. */
export async function reportPaymentChange(tx: Tx, quote: Quote, tenantId: Id<'tenant'>, now: Date): Promise<Quote> {
  const tenant = quote.tenants.find((each) => each.tenantId === tenantId)
  return tenant === undefined
    ? quote
    : changePaymentStatus(tx, quote, tenantId, tenant.paymentStatus, now, { isNews: true })
}

export function withTenant(quote: Quote, changed: QuoteTenant): Quote {
  return { ...quote, tenants: quote.tenants.map((tenant) => (tenant.tenantId === changed.tenantId ? changed : tenant)) }
}

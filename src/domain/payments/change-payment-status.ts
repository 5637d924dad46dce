import type { Tx } from '../../db/database.ts'
import type { Id } from '../../kernel/ids.ts'
import type { PaymentStatus } from '../customers/customer.ts'
import { updatePaymentStatus } from '../customers/customers.store.ts'
import { recordEvent } from '../events/record-event.ts'
import type { Quote, QuoteTenant } from '../quotes/quote.ts'

/**
 * Changes a tenant's payment status and records the event. Does nothing if the status is the same. The caller holds the quote's
 * lock. Returns the quote with the changed tenant.
 */
export async function changePaymentStatus(
  tx: Tx,
  quote: Quote,
  tenantId: Id<'tenant'>,
  to: PaymentStatus,
  now: Date,
): Promise<Quote> {
  const tenant = quote.tenants.find((each) => each.tenantId === tenantId)
  if (tenant === undefined || tenant.paymentStatus === to) return quote
  const { partnerId, quoteId, reference } = quote
  await Promise.all([
    updatePaymentStatus(tx, partnerId, tenantId, to, now),
    recordEvent(
      tx,
      { partnerId },
      {
        type: 'customer.payment.updated',
        data: {
          customerId: tenantId,
          quoteId,
          reference,
          previousPaymentStatus: tenant.paymentStatus,
          paymentStatus: to,
        },
      },
    ),
  ])
  return withTenant(quote, { ...tenant, paymentStatus: to })
}

export function withTenant(quote: Quote, changed: QuoteTenant): Quote {
  return { ...quote, tenants: quote.tenants.map((tenant) => (tenant.tenantId === changed.tenantId ? changed : tenant)) }
}

import type { Static } from 'typebox'
import type { OperatorPaymentObject, PaymentList } from '../../src/back-office/payments/payment.schema.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'

export type Payment = Static<typeof OperatorPaymentObject>

/**
 * Starts a service with a processor of its own, whose notices do not reach it: each test sends the notices that it
 * needs. The caller stops it.
 */
export async function startLedger() {
  const processor = await startServiceWithProcessor()
  const { service, notify } = processor
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const operator = await connectOperator(service)
  let payments = 0

  const schedule = async (customerId: string) =>
    succeeded(await partner.get(`/Customers/${customerId}/payment-schedules`)).paymentSchedule

  /** The intent after the tenant has confirmed it with a card and, if their bank asks, authenticated. */
  async function confirmed(setupIntentId: string, card: string) {
    const intent = await processor.confirm(setupIntentId, card)
    return intent.status === 'requires_action' ? processor.authenticate(setupIntentId, 'authenticated') : intent
  }

  /** A customer who has accepted. Their contract is in force if they are the only tenant. */
  async function acceptedCustomer({ tenants = 1, card = 'pm_card_visa' } = {}) {
    const { lead } = await startHousehold(partner, { tenants })
    succeeded(await finalise(partner, lead))
    const { setupIntentId, processorCustomerId } = succeeded(
      await partner.post(`/Customers/${lead}/create-setup-intent`),
    )
    succeeded(await notify('setup_intent.succeeded', await confirmed(setupIntentId, card)))
    const planned = await schedule(lead)
    succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
    return { lead, setupIntentId, processorCustomerId, planned, amount: planned.payments[0]?.amount ?? 0 }
  }

  /** Opens the page on which the tenant enters another card. */
  async function openReplacement(customerId: string): Promise<string> {
    return succeeded(await partner.post(`/Customers/${customerId}/create-setup-intent`, { replace: true }))
      .setupIntentId
  }

  async function attachCard(setupIntentId: string, card: string) {
    succeeded(await notify('setup_intent.succeeded', await confirmed(setupIntentId, card)))
  }

  /** Replaces the customer's card. */
  async function replaceCard(customerId: string, card = 'pm_card_visa') {
    await attachCard(await openReplacement(customerId), card)
  }

  return {
    processor,
    service,
    partner,
    operator,
    notify,
    openReplacement,
    attachCard,
    replaceCard,
    acceptedCustomer,
    schedule,
    /** The customer's payments, as the operator sees them. */
    async paymentsOf(customerId: string, query = ''): Promise<Payment[]> {
      const path = `/Payments?customerId=${customerId}&limit=500${query}`
      return succeeded(await operator.get<Static<typeof PaymentList>>(path)).data
    },
    entries: (customerId: string) =>
      rawRows(service, 'select * from payment_entries where customer_id = $1 order by due_on', [customerId]),
    /** A payment intent after an attempt. */
    attempt(customer: string, amount: number, changes: Record<string, unknown> = {}) {
      payments += 1
      return {
        id: `pi_${payments}`,
        customer,
        currency: 'gbp',
        amount,
        amount_received: amount,
        latest_charge: `ch_${payments}`,
        metadata: {},
        ...changes,
      }
    },
    stop: () => processor.stop(),
  }
}

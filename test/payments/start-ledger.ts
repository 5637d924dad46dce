import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { succeeded } from '../support/responses.ts'

/**
 * Starts a service with a processor of its own, whose notices do not reach it: each test sends the notices that it needs. The caller stops it.
 */
export async function startLedger() {
  const processor = await startServiceWithProcessor()
  const { service, notify } = processor
  const partner = await connectPartner(service.baseUrl, service.credentials)
  let payments = 0

  const schedule = async (customerId: string) =>
    succeeded(await partner.get(`/Customers/${customerId}/payment-schedules`)).paymentSchedule

  /** A customer who has accepted. Their contract is in force if they are the only tenant. */
  async function acceptedCustomer({ tenants = 1 } = {}) {
    const { lead } = await startHousehold(partner, { tenants })
    succeeded(await finalise(partner, lead))
    const { setupIntentId, processorCustomerId } = succeeded(
      await partner.post(`/Customers/${lead}/create-setup-intent`),
    )
    succeeded(await notify('setup_intent.succeeded', await processor.confirm(setupIntentId)))
    const planned = await schedule(lead)
    succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
    return { lead, processorCustomerId, planned, amount: planned.payments[0]?.amount ?? 0 }
  }

  return {
    service,
    partner,
    notify,
    acceptedCustomer,
    schedule,
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

import type { Partner } from './client.ts'
import { paymentStatus } from './household.ts'
import { withDatabase } from './partners.ts'
import type { ServiceUnderTest } from './service.ts'
import { waitFor } from './wait-for.ts'

/** Waits until a background job has changed the customer's payment status to `wanted`. */
export async function waitForPaymentStatus(partner: Partner, customerId: string, wanted: string): Promise<void> {
  await waitFor(
    `paymentStatus is ${wanted}`,
    () => paymentStatus(partner, customerId),
    (found) => found === wanted,
  )
}

/** Runs a statement in the service's database and returns its rows. */
export function rawRows(
  service: Pick<ServiceUnderTest, 'connectionString'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  return withDatabase(service, async (db) => (await db.pool.query(text, [...values])).rows)
}

/** Every payment status the customer has had, in event order. */
export async function readPaymentStatusHistory(service: ServiceUnderTest, customerId: string): Promise<string[]> {
  const rows = await rawRows(
    service,
    `select data->>'paymentStatus' as status from events
      where type = 'customer.payment.updated' and data->>'customerId' = $1 order by event_number`,
    [customerId],
  )
  return rows.map(({ status }) => String(status))
}

/** Waits until the simulated processor has delivered all its pending webhooks. */
export async function waitForProcessorWebhooks(service: ServiceUnderTest): Promise<void> {
  await waitFor(
    'no webhook of the simulated processor is pending',
    () => rawRows(service, 'select 1 from simulated_processor.outgoing_webhooks'),
    ({ length }) => length === 0,
  )
}

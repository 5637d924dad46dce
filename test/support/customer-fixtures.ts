import { setTimeout as sleep } from 'node:timers/promises'
import type { Partner } from './client.ts'
import { paymentStatus } from './household.ts'
import { withDatabase } from './partners.ts'
import type { ServiceUnderTest } from './service.ts'

/** Waits, for a few seconds at most, until the payment status has been moved in the background. */
export async function paymentStatusBecomes(partner: Partner, customerId: string, wanted: string): Promise<void> {
  const deadline = performance.now() + 5_000
  for (;;) {
    const found = await paymentStatus(partner, customerId)
    if (found === wanted) return
    if (performance.now() > deadline) throw new Error(`paymentStatus stays ${found} and does not become ${wanted}`)
    await sleep(15)
  }
}

/** The rows a statement gives, as they lie in the service's database. */
export function rawRows(
  service: ServiceUnderTest,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  return withDatabase(service, async (db) => (await db.pool.query(text, [...values])).rows)
}

/** Every payment status the customer has come to, in the order of the events that told of it. */
export async function paymentMoves(service: ServiceUnderTest, customerId: string): Promise<string[]> {
  const rows = await rawRows(
    service,
    `select data->>'paymentStatus' as status from events
      where type = 'customer.payment.updated' and data->>'customerId' = $1 order by event_number`,
    [customerId],
  )
  return rows.map(({ status }) => String(status))
}

/** Waits until the simulated processor has delivered every webhook it had to send. */
export async function nothingOnItsWay(service: ServiceUnderTest): Promise<void> {
  const deadline = performance.now() + 8_000
  while ((await rawRows(service, 'select 1 from simulated_processor.outgoing_webhooks')).length > 0) {
    if (performance.now() > deadline) throw new Error('webhooks of the simulated processor are still on their way')
    await sleep(15)
  }
}

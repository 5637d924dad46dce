import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import type { ServiceWithProcessor } from '../support/processor.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { withIntent } from './reconcile.fixture.ts'

/** Where the last sweep came to; undefined before the first that found anything. */
export async function readTo(service: ServiceUnderTest): Promise<string | undefined> {
  const [row] = await rawRows(service, "select value from deployment_settings where name = 'collections-read-to'")
  return row === undefined ? undefined : String(row.value)
}

/** A customer with an attached card whose set-up is known, as all notices but those of collections arrive. */
export async function withAttachedCard(
  processor: ServiceWithProcessor,
  partner: Partner,
): Promise<{ lead: string; setupIntentId: string }> {
  const customer = await withIntent(partner)
  const attached = await processor.confirm(customer.setupIntentId)
  await processor.notify('setup_intent.succeeded', attached)
  return customer
}

/** Events of payments that are nobody's here, one a second up to so many seconds ago. */
export async function tellForeignPayments(service: ServiceUnderTest, count: number, secondsAgo: number): Promise<void> {
  await rawRows(
    service,
    `insert into simulated_processor.events (id, type, happened_at, body)
     select 'evt_foreign' || $2 || 'x' || n, 'payment_intent.succeeded', at,
            json_build_object('id', 'evt_foreign' || $2 || 'x' || n, 'object', 'event', 'type', 'payment_intent.succeeded', 'created', at,
              'data', json_build_object('object', json_build_object('id', 'pi_' || n, 'customer', case when n % 2 = 0 then 'cus_foreign' end)))::text
       from (select n, floor(extract(epoch from now()))::bigint - $2::int - $1::int + n as at from generate_series(1, $1::int) n) told`,
    [count, secondsAgo],
  )
}

import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import type { ServiceWithProcessor } from '../support/processor.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { createCustomerWithIntent } from './reconcile.fixture.ts'

/** The position that the last sweep stored; undefined until a sweep finds something. */
export async function readSweepPosition(service: ServiceUnderTest): Promise<string | undefined> {
  const [row] = await rawRows(service, "select value from deployment_settings where name = 'collections-read-to'")
  return row === undefined ? undefined : String(row.value)
}

/** Creates a customer with an attached card. Housebill knows about the card, because a notice was sent. */
export async function createCustomerWithCard(
  processor: ServiceWithProcessor,
  partner: Partner,
): Promise<{ lead: string; setupIntentId: string }> {
  const customer = await createCustomerWithIntent(partner)
  const attached = await processor.confirm(customer.setupIntentId)
  await processor.notify('setup_intent.succeeded', attached)
  return customer
}

/** Inserts payment events of unknown customers, one for each second. The last one happened `secondsAgo` seconds ago. */
export async function insertPaymentsOfUnknownCustomers(
  service: ServiceUnderTest,
  count: number,
  secondsAgo: number,
): Promise<void> {
  await rawRows(
    service,
    `insert into simulated_processor.events (id, type, happened_at, body)
     select 'evt_foreign' || $2 || 'x' || n, 'payment_intent.succeeded', at,
            json_build_object('id', 'evt_foreign' || $2 || 'x' || n, 'object', 'event', 'type',
              'payment_intent.succeeded', 'created', at,
              'data', json_build_object('object', json_build_object('id', 'pi_' || n, 'customer', case when n % 2 = 0
                then 'cus_foreign' end)))::text
       from (select n, floor(extract(epoch from now()))::bigint - $2::int - $1::int + n as at
         from generate_series(1, $1::int) n) told`,
    [count, secondsAgo],
  )
}

import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'

/** Waits until all requests so far are in the list of requests, which is written beside them and in their order. */
export async function everyRequestIsListed(service: ServiceUnderTest, partner: Partner): Promise<void> {
  succeeded(await partner.get('/Sandbox/clock', { headers: { 'X-Request-Id': 'the-last' } }))
  const listed = () => rawRows(service, `select from sandbox_requests where request_id = 'the-last'`)
  await waitFor('every request is listed', listed, ({ length }) => length === 1)
}

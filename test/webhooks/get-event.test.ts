import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { listAll } from '../support/deliveries.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('an event read by id is the same as in the list, with its members in the order of the delivered message', async () => {
  const { quoteId } = await createQuote(partner, { reference: 'r-1' })
  const [event] = await waitFor(
    'the event is listed',
    () => listAll(partner, '/Events', { quoteId }),
    ({ length }) => length === 1,
  )
  assert.ok(event)
  const response = await partner.get(`/Events/${event.id}`)
  assert.deepEqual(succeeded(response), event)
  const data = { quoteId, reference: 'r-1', previousStatus: null, status: 'draft', reason: null }
  assert.equal(
    response.text,
    JSON.stringify({ id: event.id, type: 'quote.status.changed', timestamp: event.timestamp, data }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../../support/client.ts'
import { startHousehold } from '../../support/household.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { assertProblem } from '../../support/responses.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

test('a misspelt field, value, query parameter or event type is answered with the one that was probably meant', async () => {
  const { addressUid } = (await createQuote(partner)).address
  const url = 'https://127.0.0.1:9/hook'
  for (const [response, detail] of [
    [
      await partner.post('/Quotes', { addressUid, package: ['gas'] }),
      /^Unknown field\. Did you mean packages\? The known fields/,
    ],
    [await partner.post('/Quotes', { addressUid, packages: ['gass'] }), /\. Did you mean gas\?$/],
    [await partner.get('/Quotes?stat=draft'), /Did you mean status\?/],
    [
      await partner.post('/Webhooks', { url, events: ['payment.updated'] }),
      /Did you mean customer\.payment\.updated\?/,
    ],
    [await partner.post('/Quotes', { addressUid, colour: 'red' }), /^Unknown field\. The known fields/],
  ] as const)
    assert.match(
      (response.body as { errors: { detail: string }[] }).errors.map((each) => each.detail).join(' '),
      detail,
    )
})

test('an id of the wrong kind is answered with what it is the id of, whether it exists or not', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  for (const [path, kind] of [
    [`/Quotes/${lead}`, 'customer'],
    ['/Quotes/tenant_nobody', 'customer'],
    [`/Customers/${quoteId}/total-cost`, 'quote'],
    [`/Webhooks/${quoteId}`, 'quote'],
  ] as const) {
    const { detail } = assertProblem(await partner.get(path), 'not_found')
    assert.match(detail, new RegExp(` You sent the id of a ${kind}\\.$`), path)
  }
  for (const id of ['quote_nobody', 'nobody', 'constructor_1', '__proto___1']) {
    const { detail } = assertProblem(await partner.get(`/Quotes/${id}`), 'not_found')
    assert.match(detail, /with your credentials\.$/, id)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, connectPartner } from '../support/client.ts'
import { findProperty } from '../support/household.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const { clientId, clientSecret } = service.credentials

/** Each character as its percent code, `times` times over. */
function encoded(text: string, times: number): string {
  const once = [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
  return times === 1 ? once : encodeURIComponent(encoded(text, times - 1))
}

test('a path is percent-decoded once: encoded twice, it is unknown', async () => {
  const withToken = { headers: { Authorization: `Bearer ${partner.token}` } }
  const get = (name: string) => call(service.baseUrl, 'GET', `/partner-api/${name}`, undefined, withToken)
  assert.equal((await get(encoded('Quotes', 1))).status, 200)
  rejected(await get(encoded('Quotes', 2)), 404, 'not_found')
})

test('a query parameter is percent-decoded once: encoded twice, it is a different text', async () => {
  const lookUp = (postcode: string) => partner.get(`/Addresses/lookup?postcode=${postcode}`)
  assert.notDeepEqual((await lookUp(encoded('NR4 7TJ', 1))).body, [])
  assert.deepEqual((await lookUp(encoded('NR4 7TJ', 2))).body, [])
})

test('a form is percent-decoded once: credentials encoded twice are wrong', async () => {
  const status = async (times: number) => {
    const form = `grant_type=client_credentials&client_id=${clientId}&client_secret=${encoded(clientSecret, times)}`
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' }
    return (await call(service.baseUrl, 'POST', '/oauth/token', undefined, { rawBody: form, headers })).status
  }
  assert.equal(await status(1), 200)
  assert.equal(await status(2), 401)
})

test('text in JSON is not decoded any further', async () => {
  const reference = '%41 &amp; \\u0041 +'
  const addressUid = await findProperty(partner, 'NR4 7TJ')
  const { quoteId } = succeeded(await partner.post('/Quotes', { addressUid, reference }))
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}`)).reference, reference)
})

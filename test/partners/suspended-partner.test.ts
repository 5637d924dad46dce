import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { findCredential, updateSuspension } from '../../src/partners/partners.store.ts'
import { call, connectPartner } from '../support/client.ts'
import { waitForPaymentStatus } from '../support/customer-fixtures.ts'
import { startHousehold, startPaymentSetup } from '../support/household.ts'
import { cipherOf, connectNewPartner, withDatabase } from '../support/partners.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { waitFor } from '../support/wait-for.ts'
import { startReceiver } from '../webhooks/receiver-fixture.ts'

const processor = await startServiceWithProcessor({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
after(() => processor.stop())
const { service } = processor

const suspend = (clientId: string, at: Date | null) =>
  withDatabase(service, async (db) =>
    updateSuspension(db, (await findCredential(db, await cipherOf(service), clientId))?.partnerId ?? '', at),
  )

test('a suspended partner gets tokens, but every call and every repetition returns partner_suspended until it is resumed', async () => {
  const partner = await connectNewPartner(service)
  const { client_id: clientId } = decodeJwt<{ client_id: string }>(partner.token)
  const create = () => partner.post('/Quotes', body, { headers: { 'Idempotency-Key': 'before-the-suspension' } })
  const { addressUid } = await startHousehold(partner)
  const body = { addressUid }
  const { quoteId } = succeeded(await create())
  await suspend(clientId, new Date())
  await waitFor('calls are rejected', async () => (await partner.get('/Quotes')).status === 403)
  const { detail } = rejected(await partner.get(`/Quotes/${quoteId}`), 403, 'partner_suspended')
  assert.match(detail, /Ask the operator to resume it/)
  rejected(await create(), 403, 'partner_suspended')
  rejected(await partner.post('/Quotes', {}), 403, 'partner_suspended')
  const credentials = { ...service.credentials, clientId }
  const renewed = await connectPartner(service.baseUrl, credentials)
  rejected(await renewed.get('/Quotes'), 403, 'partner_suspended')
  const revoked = await call(service.baseUrl, 'POST', '/partner-api/Auth/revoke', {
    ...credentials,
    token: renewed.token,
  })
  assert.equal(revoked.status, 200)
  const another = await connectNewPartner(service)
  succeeded(await another.get('/Quotes'))

  await suspend(clientId, null)
  await waitFor('calls are accepted', async () => (await partner.get('/Quotes')).status === 200)
  assert.equal(succeeded(await create()).quoteId, quoteId, 'the stored response is returned')
})

test("while a partner is suspended, the processor's notices, its webhook deliveries and its tenants' contract links go on", async (t) => {
  const partner = await connectNewPartner(service)
  const { client_id: clientId } = decodeJwt<{ client_id: string }>(partner.token)
  const receiver = await startReceiver(t)
  succeeded(
    await partner.post('/Webhooks', {
      url: `https://127.0.0.1:${receiver.port}/hooks`,
      events: ['customer.payment.updated'],
    }),
  )
  await waitFor('the webhook is verified', () => receiver.received.length === 1)
  const { lead: signed } = await startHousehold(partner, { tenants: 1 })
  const ofSigned = await processor.confirm(await startPaymentSetup(partner, signed))
  await processor.notify('setup_intent.succeeded', ofSigned)
  succeeded(await partner.post(`/Customers/${signed}/accept-terms`))
  const { contractUrl } = succeeded(await partner.get(`/Customers/${signed}/pci-contract-url-html`))
  const { lead: waiting } = await startHousehold(partner, { tenants: 1 })
  const setupIntentId = await startPaymentSetup(partner, waiting)

  await suspend(clientId, new Date())
  await waitFor('calls are rejected', async () => (await partner.get('/Quotes')).status === 403)
  const notice = await processor.notify('setup_intent.succeeded', await processor.confirm(setupIntentId))
  assert.equal(notice.status, 200)
  await waitFor('the event is delivered', () =>
    receiver.events().some(({ message: { data } }) => data.customerId === waiting && data.paymentStatus === 'ready'),
  )
  const document = await fetch(contractUrl)
  assert.equal(document.status, 200)
  await document.body?.cancel()

  await suspend(clientId, null)
  await waitFor('calls are accepted', async () => (await partner.get('/Quotes')).status === 200)
  await waitForPaymentStatus(partner, waiting, 'ready')
})

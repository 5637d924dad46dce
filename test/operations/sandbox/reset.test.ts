import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import { findCredential } from '../../../src/domain/auth/partners.store.ts'
import { addCommissionRows } from '../../isolation/commission-rows.ts'
import { listOwnedTables } from '../../isolation/owned-tables.ts'
import type { Partner } from '../../support/client.ts'
import { rawRows, waitForProcessorWebhooks } from '../../support/customer-fixtures.ts'
import { eventsOf, waitForDeliveries } from '../../support/deliveries.ts'
import { attachCard, finalise, findProperty, onboard, psrDetails, startHousehold } from '../../support/household.ts'
import { connectNewPartner, withDatabase } from '../../support/partners.ts'
import { advanceClock, createQuote, testTime } from '../../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../../support/responses.ts'
import { movableClock, startTestService } from '../../support/service.ts'
import { startReceiver } from '../../webhooks/receiver-fixture.ts'

const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true' }, { clock: movableClock(testTime) })
after(() => service.stop())
const receiver = await startReceiver({ after: (close) => after(close as () => unknown) })
const path = '/Sandbox/reset'

/** What stays after a reset. */
const kept = [
  'audit_log',
  'commission_terms',
  'credentials',
  'partners',
  'rate_card_partners',
  'removed_events',
  'webhook_secrets',
  'webhooks',
]

async function partnerIdOf(partner: Partner): Promise<string> {
  const { client_id: clientId } = decodeJwt<{ client_id: string }>(partner.token)
  const credential = await withDatabase(service, (db) => findCredential(db, clientId))
  return credential?.partnerId ?? assert.fail()
}

/** The number of the partner's rows in every table that has some, and of what the simulated processor has of it. */
async function rowsOf(partnerId: string): Promise<Record<string, number>> {
  const tables = (await listOwnedTables(service.connectionString)).map(
    ({ name }) => [name.replace('public.', ''), `select count(*)::int from ${name} where partner_id = $1`] as const,
  )
  const atProcessor = ['customers', 'setup_intents', 'payment_intents'].map(
    (table) =>
      [
        `processor's ${table}`,
        `select count(*)::int from simulated_processor.${table} where object #>> '{metadata,housebill_partner_id}' = $1`,
      ] as const,
  )
  const found: Record<string, number> = {}
  for (const [name, statement] of [...tables, ...atProcessor]) {
    const [row] = await rawRows(service, statement, [partnerId])
    if (Number(row?.count) > 0) found[name] = Number(row?.count)
  }
  return found
}

/** Uses everything that a partner can use. Returns the webhook. */
async function fill(partner: Partner): Promise<string> {
  const webhook = { url: `https://localhost:${receiver.port}/hook`, events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook))
  await waitForDeliveries(partner, webhookId, (all) => all.some(({ status }) => status === 'delivered'))
  const { quoteId, lead, addressUid } = await startHousehold(partner, { tenants: 1, packages: ['electricity', 'gas'] })
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  succeeded(await partner.post('/Quotes/broadband-availability-requests', { addressUid }))
  succeeded(await partner.post(`/Sandbox/broadband/${addressUid}`, { homeTelecom: { outcome: 'down' } }))
  await onboard(partner, lead, { psrDetails: psrDetails() })
  succeeded(await partner.post(`/Sandbox/customers/${lead}/collect`))
  succeeded(
    await partner.post(`/Sandbox/quotes/${quoteId}/service-status`, { serviceId: 'gas-standard', status: 'active' }),
  )
  await addCommissionRows(service, quoteId)
  const other = await startHousehold(partner, { tenants: 2 })
  succeeded(await partner.post(`/Customers/${other.lead}/erase`))
  succeeded(await partner.post('/Quotes', { addressUid }, { headers: { 'Idempotency-Key': 'before-the-reset' } }))
  succeeded(await partner.post('/Sandbox/faults', { operation: 'exportCustomer', status: 500 }))
  succeeded(await partner.post('/Sandbox/price-change', { percent: 20 }))
  await advanceClock(partner, { days: 3 })
  await waitForDeliveries(
    partner,
    webhookId,
    (all) => all.length > 3 && all.every(({ status }) => status === 'delivered'),
  )
  await waitForProcessorWebhooks(service)
  succeeded(await partner.post('/Sandbox/payment-processor/outage', { down: true }))
  return webhookId
}

test('a reset deletes everything that the partner made, and its credentials, webhooks and audit log stay', async () => {
  const [partner, other] = [await connectNewPartner(service), await connectNewPartner(service)]
  const webhookId = await fill(partner)
  await fill(other)
  const [own, foreign] = [await partnerIdOf(partner), await partnerIdOf(other)]
  const [before, foreignBefore] = [await rowsOf(own), await rowsOf(foreign)]
  assert.ok(Object.keys(before).length > 25, 'the partner has rows in most tables')
  const summary = succeeded(await partner.post(path))
  assert.deepEqual([summary.quotes, summary.events], [before.quotes, before.events])
  const { sandbox_requests: _listedSince, ...left } = await rowsOf(own)
  assert.deepEqual(
    Object.keys(left).filter((table) => !kept.includes(table)),
    [],
  )
  const { sandbox_requests: _, ...foreignLeft } = await rowsOf(foreign)
  const { sandbox_requests: __, ...foreignExpected } = foreignBefore
  assert.deepEqual(foreignLeft, foreignExpected)

  const clock = succeeded(await partner.get('/Sandbox/clock'))
  assert.equal(clock.offsetSeconds, 0)
  const versions = succeeded(await partner.get('/Quotes/quoting-tool-versions')).versions
  assert.ok(versions.every(({ name }) => !name.startsWith('Sandbox price change')))
  const [webhook] = succeeded(await partner.get('/Webhooks')).data
  assert.deepEqual([webhook?.webhookId, webhook?.status, webhook?.verification], [webhookId, 'active', 'verified'])
})

test('after a reset the partner can sell as before, and its webhook gets the new events', async () => {
  const partner = await connectNewPartner(service)
  const webhookId = await fill(partner)
  const following = succeeded(await partner.get('/Events?order=oldest&limit=1')).nextCursor
  succeeded(await partner.post(path))
  assertProblem(await partner.get(`/Events?cursor=${following}` as '/Events'), 'validation_failed', ['/query/cursor'])
  const addressUid = await findProperty(partner, 'NR4 7TJ')
  const headers = { 'Idempotency-Key': 'before-the-reset' }
  const again = await partner.post('/Quotes', { addressUid }, { headers })
  assert.equal(again.headers.get('idempotent-replayed'), null)
  const { lead } = await startHousehold(partner, { tenants: 1, packages: ['gas'] })
  await onboard(partner, lead)
  const events = await eventsOf(partner, 3)
  await waitForDeliveries(
    partner,
    webhookId,
    (all) =>
      all.length >= events.filter(({ type }) => type === 'quote.status.changed').length &&
      all.every(({ status }) => status === 'delivered'),
  )
})

test('a reset of an empty sandbox succeeds, a repeated request is replayed, and a payment set-up in progress ends', async () => {
  const partner = await connectNewPartner(service)
  assert.deepEqual(succeeded(await partner.post(path)), { quotes: 0, events: 0 })
  const { lead } = await startHousehold(partner, { tenants: 1, packages: ['gas'] })
  succeeded(await finalise(partner, lead))
  const setupIntentId = await attachCard(partner, lead, 'pm_card_authenticationRequired')
  const reset = () => partner.post(path, undefined, { headers: { 'Idempotency-Key': 'reset' } })
  assert.equal(succeeded(await reset()).quotes, 1)
  assertProblem(
    await partner.post(`/Sandbox/setup-intents/${setupIntentId}/authenticate`, { outcome: 'passed' }),
    'not_found',
  )
  await createQuote(partner)
  const replay = await reset()
  assert.equal(replay.headers.get('idempotent-replayed'), 'true')
  assert.equal(succeeded(await partner.get('/Quotes')).data.length, 1)
})

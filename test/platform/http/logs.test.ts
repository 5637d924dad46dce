import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client } from 'pg'
import { createLogger } from '../../../src/app/logger.ts'
import { call, connectPartner } from '../../support/client.ts'
import { waitForProcessorWebhooks } from '../../support/customer-fixtures.ts'
import { waitForDeliveries } from '../../support/deliveries.ts'
import { attachCard, finalise, findProperty, psrDetails, startHousehold } from '../../support/household.ts'
import { sendRaw } from '../../support/raw-http.ts'
import { rejected, succeeded } from '../../support/responses.ts'
import { startTestService } from '../../support/service.ts'

const lines: string[] = []
const log = createLogger('trace', { write: (line) => void lines.push(line) })
const service = await startTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' }, { log })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Values that must never appear in a log; the tests add more. */
const hidden = new Map<string, string>([
  ["the partner's secret", service.credentials.clientSecret],
  ['an access token', partner.token],
  ["an access token's signature", partner.token.split('.')[2] ?? ''],
  ['a wrong secret', 'guessed-secret-4711'],
  ['a first name', 'Wilhelmina'],
  ['a last name', 'Featherstonehaugh'],
  ['a name', 'Peregrine Tooksworth'],
  ['an e-mail address', 'wilhelmina.f@example.com'],
  ['another e-mail address', 'peregrine.t@example.com'],
  ['a phone number', '07700 900777'],
  ['a phone number in E.164', '7700900777'],
  ['a date of birth', '1987-06-05'],
  ['a note about health', 'oxygen concentrator'],
  ['a password for visitors', 'marmalade'],
  ["a contact's name", 'Hildegarde'],
  ["a contact's phone number", '7700900666'],
  ["a tenant's address", '203.0.113.77'],
  ["a tenant's browser", 'ExampleBrowser/99'],
])

test('a full journey with every kind of failure runs to completion', async () => {
  const { quoteId, addressUid, tenants } = await startHousehold(partner, {
    tenants: [
      { name: 'Wilhelmina Featherstonehaugh', email: 'wilhelmina.f@example.com' },
      { name: 'Peregrine Tooksworth', email: 'peregrine.t@example.com' },
    ],
    packages: ['electricity', 'gas'],
    products: ['fibre-150'],
  })
  const [lead = '', other = ''] = tenants
  const twin = { tenants: [{ name: 'Peregrine Tooksworth', email: 'Peregrine.T@example.com' }] }
  rejected(await partner.post(`/Quotes/${quoteId}/add-tenants`, twin), 422, 'duplicate_tenant')
  succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  const personal = {
    firstName: 'Wilhelmina',
    lastName: 'Featherstonehaugh',
    email: 'wilhelmina.f@example.com',
    phone: '07700 900777',
    dateOfBirth: '1987-06-05',
    psrDetails: psrDetails({
      notes: 'oxygen concentrator upstairs',
      password: 'marmalade',
      authorisedContact: {
        firstName: 'Hildegarde',
        lastName: 'Featherstonehaugh',
        relationship: 'sister',
        phone: '+44 7700 900666',
        consentGiven: true,
      },
    }),
  }
  rejected(await finalise(partner, lead, { ...personal, phone: 'Wilhelmina' }), 422, 'validation_failed')
  rejected(await finalise(partner, lead, { ...personal, marmalade: 'marmalade' }), 400, 'invalid_request')
  rejected(await finalise(partner, lead, { ...personal, email: 'peregrine.t@example.com' }), 422, 'duplicate_tenant')
  succeeded(await finalise(partner, lead, personal))
  succeeded(
    await finalise(partner, other, {
      firstName: 'Peregrine',
      lastName: 'Tooksworth',
      email: 'peregrine.t@example.com',
    }),
  )
  await rejectEmail(other)
  succeeded(await partner.get(`/Customers/${lead}`))
  succeeded(await partner.get(`/Customers/${lead}/payment-schedules`))
  const { clientSecret, setupIntentId } = succeeded(
    await partner.post(`/Customers/${lead}/create-setup-intent`, undefined, {
      headers: { 'Idempotency-Key': 'intent' },
    }),
  )
  hidden.set('a client secret', clientSecret)
  await enterCard(setupIntentId, clientSecret)
  await attachCard(partner, lead, 'pm_card_chargeDeclined')
  await attachCard(partner, lead)
  succeeded(
    await partner.post(`/Customers/${lead}/accept-terms`, {
      tenantIp: '203.0.113.77',
      tenantUserAgent: 'ExampleBrowser/99',
    }),
  )
  await readContracts(lead)
  const webhook = succeeded(
    await partner.post('/Webhooks', { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }),
  )
  hidden.set('a webhook secret', webhook.secret.replace('whsec_', ''))
  await failInManyWays(addressUid)
  await waitForProcessorWebhooks(service)
  await waitForDeliveries(partner, webhook.webhookId, (found) => found.some(({ attemptCount }) => attemptCount > 0))
})

/** Has the processor reject an email address, and checks that the log says why. */
async function rejectEmail(customerId: string): Promise<void> {
  hidden.set('a rejected e-mail address', 'email-rejected')
  const change = (email: string) => partner.patch(`/Customers/${customerId}`, { email })
  succeeded(await change('peregrine.t+email-refused@example.com'))
  rejected(await partner.post(`/Customers/${customerId}/create-setup-intent`), 422, 'customer_details_refused')
  const [rejection = ''] = lines.filter((line) => line.includes('rejected by a dependency'))
  assert.match(rejection, /payment-processor: .*status 400, code email_invalid, parameter email, request req_/)
  succeeded(await change('peregrine.t@example.com'))
}

/** Enters two cards on the hosted page as a browser would: first one that is declined, then an incomplete one. */
async function enterCard(setupIntentId: string, clientSecret: string): Promise<void> {
  hidden.set('a card number', '4000000000000002').set('a security code', '98765432')
  for (const [cvc, status] of [
    ['98765432', 200],
    [98_765_432, 400],
  ] as const) {
    const response = await fetch(`${service.baseUrl}/sandbox/card-setup/${setupIntentId}/confirm`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        clientSecret,
        card: { number: '4000000000000002', expMonth: '12', expYear: '2030', cvc },
      }),
    })
    assert.equal(response.status, status)
  }
}

async function readContracts(customerId: string): Promise<void> {
  for (const format of ['html', 'pdf'] as const) {
    const { contractUrl } = succeeded(await partner.get(`/Customers/${customerId}/pci-contract-url-${format}`))
    const token = new URL(contractUrl).searchParams.get('token') ?? ''
    hidden.set(`a link token (${format})`, token)
    assert.equal((await fetch(contractUrl)).status, 200)
    assert.equal((await fetch(`${contractUrl}x`)).status, 403)
  }
}

async function failInManyWays(addressUid: string): Promise<void> {
  const { clientId, clientSecret } = service.credentials
  const { baseUrl } = service
  await call(baseUrl, 'POST', '/oauth/token', { clientId, clientSecret: 'guessed-secret-4711' })
  await call(baseUrl, 'POST', `/oauth/token?client_secret=${clientSecret}`, {})
  await call(baseUrl, 'POST', '/oauth/token', undefined, {
    rawBody: `{"clientSecret":"${clientSecret}"`,
    headers: { 'Content-Type': 'application/json' },
  })
  await call(baseUrl, 'GET', '/partner-api/Quotes', undefined, {
    headers: { Authorization: `Bearer ${partner.token}x` },
  })
  await call(baseUrl, 'GET', `/nothing/Featherstonehaugh?token=${partner.token}`)
  await call(baseUrl, 'GET', `/partner-api/Quotes/%zz?token=${partner.token}`)
  await partner.get('/Quotes?email=wilhelmina.f@example.com')
  await partner.get('/Quotes/wilhelmina.f@example.com')
  await partner.post('/Quotes', { addressUid, 'wilhelmina.f@example.com': 1, reference: '\u0000' })
  await sendRaw(baseUrl, `GET /x HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${partner.token}\r\nBad Header\r\n\r\n`)
  await call(baseUrl, 'POST', '/processor-webhooks/stripe', { email: 'wilhelmina.f@example.com' })
}

test('every request is logged with its operation, status and request id, but never with its raw path', () => {
  const entries = lines.map((line) => JSON.parse(line))
  const requests = entries.filter(({ msg }) => msg === 'request')
  assert.ok(requests.length > 30)
  for (const { method, operation, status, reqId, ms } of requests) {
    assert.match(method, /^[A-Z]+$/)
    assert.ok(operation === 'unknown path' || operation.startsWith('/'))
    assert.ok(status >= 200 && status < 600 && ms >= 0)
    assert.match(reqId, /^request_|^[\w.:-]+$/)
  }
  assert.ok(requests.some(({ operation }) => operation === '/partner-api/Quotes/:id/add-tenants'))
  assert.ok(
    entries.every(({ level }) => level !== 'error'),
    'no unexpected error was logged',
  )
})

test('the cause of an internal error is not in the response and is logged without data', async () => {
  await alter('alter table quotes add constraint not_foreseen check (reference_hash is null) not valid')
  try {
    const addressUid = await findProperty(partner, 'NR4 7TJ')
    const response = await partner.post(
      '/Quotes',
      { addressUid, reference: 'Featherstonehaugh-fault' },
      { headers: { 'X-Request-Id': 'the-faulty-one', 'Idempotency-Key': 'faulty' } },
    )
    rejected(response, 500, 'internal_error')
    assert.doesNotMatch(response.text, /constraint|not_foreseen|quotes|node_modules|\.ts/)
    const entry = lines.map((line) => JSON.parse(line)).find(({ level }) => level === 'error')
    assert.equal(entry.reqId, 'the-faulty-one')
    assert.equal(entry.err.code, '23514')
    assert.equal(entry.err.constraint, 'not_foreseen')
    assert.match(entry.err.stack, /^\s+at /)
  } finally {
    await alter('alter table quotes drop constraint not_foreseen')
  }
})

async function alter(statement: string): Promise<void> {
  const client = new Client({ connectionString: service.connectionString })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

test('no log line at any level contains a secret, a token or personal data', () => {
  assert.ok(hidden.size >= 21)
  for (const [what, text] of hidden) {
    assert.ok(text.length > 6, what)
    const found = lines.find((line) => line.toLowerCase().includes(text.toLowerCase()))
    assert.equal(found, undefined, `${what} was logged: ${found}`)
  }
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createStripePaymentProcessor } from '../../src/payments/processor/stripe.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import { deleteAtProcessor } from '../../src/privacy/delete-at-processor.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { findProperty, psrContact, psrDetails } from '../support/household.ts'
import { startServiceWithProcessor } from '../support/processor.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { findOccurrences, readDecryptedContents, storeEndRequest, withDatabaseKeys } from './decrypted-contents.ts'

const processor = await startServiceWithProcessor({ WEBHOOK_ALLOW_LOOPBACK: 'true' })
const { service } = processor
after(() => processor.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const processorKey = service.environment.STRIPE_SECRET_KEY ?? ''

/** Values that can come only from this tenant's data. */
const person = {
  given: 'Quirinius',
  family: 'Zabriskovich',
  email: 'q.zabriskovich@personal.example',
  earlierEmail: 'quirin@earlier.example',
  phone: '+447700900789',
  birth: '1987-03-29',
  contact: 'Wilhelmina',
  contactPhone: '+447700900321',
  notes: 'dialysis-at-home',
  password: 'heliotrope-at-the-door',
  ip: '198.51.100.77',
  agent: 'Peculiar-Browser',
  reference: 'flat of the Zabriskys',
  note: 'introduced by aunt Philippa',
}
const words = Object.values(person)

/** Takes every step up to attaching a card, each with an idempotency key, so that every response is stored. */
async function onboardWithKeys(by: Partner, withTerms: boolean) {
  let step = 0
  const post = async <Path extends string>(path: Path, body?: unknown) => {
    step += 1
    return succeeded(await by.post(path, body, { headers: { 'Idempotency-Key': `${withTerms}-${step}` } }))
  }
  succeeded(
    await by.post('/Webhooks', {
      url: 'https://127.0.0.1:9/hook',
      events: ['quote.status.changed', 'customer.status.changed'],
    }),
  )
  const addressUid = await findProperty(by, 'NR4 7TJ')
  const { quoteId } = await post('/Quotes', {
    addressUid,
    packages: ['electricity'],
    reference: person.reference,
    metadata: { note: person.note },
  })
  const named = {
    name: `${person.given} ${person.family}`,
    email: person.earlierEmail,
    metadata: { note: person.note },
  }
  const { tenants } = await post(`/Quotes/${quoteId}/add-tenants`, { tenants: [named] })
  const [{ tenantId: customerId } = assert.fail('no tenant')] = tenants
  const authorisedContact = psrContact({ firstName: person.contact, phone: person.contactPhone })
  await post(`/Customers/${customerId}/finalise-personal-information`, {
    firstName: person.given,
    lastName: person.family,
    email: person.email,
    phone: person.phone,
    dateOfBirth: person.birth,
    psrDetails: psrDetails({ authorisedContact, notes: person.notes, password: person.password }),
  })
  await post(`/Customers/${customerId}/report-death`, { relationship: person.contact, estate: person.contactPhone })
  const { setupIntentId } = await post(`/Customers/${customerId}/create-setup-intent`)
  await processor.confirm(setupIntentId)
  if (withTerms) {
    const evidence = { tenantIp: person.ip, tenantUserAgent: person.agent }
    await post(`/Customers/${customerId}/accept-terms`, evidence)
  } else await post(`/Quotes/${quoteId}/reopen`)
  return { quoteId, customerId }
}

const sweep = () =>
  withDatabaseKeys(service, ({ databases }) => {
    const baseUrl = service.environment.STRIPE_API_BASE ?? ''
    const paymentProcessor = createStripePaymentProcessor({
      upstream: createUpstream({ name: 'payment-processor', baseUrl }),
      secretKey: processorKey,
      webhookSecret: 'whsec_unused',
    })
    return deleteAtProcessor({ databases, paymentProcessor }, { limit: 20, isStopping: () => false })
  })
const dueNow = () => rawRows(service, 'update processor_deletions set due_at = now()')

async function readEverything(quoteId: string, customerId: string): Promise<Map<string, string>> {
  const paths = ['', '/total-cost'].map((rest) => `/Quotes/${quoteId}${rest}`).concat('/Quotes?limit=100')
  for (const rest of ['', '/total-cost', '/payment-schedules', '/export']) paths.push(`/Customers/${customerId}${rest}`)
  const responses = await Promise.all(paths.map((path) => partner.get(path)))
  for (const { status, text } of responses) assert.ok(status === 200 || status === 422, text)
  return new Map(responses.map(({ text }, index) => [paths[index] ?? '', text]))
}

test('an erased customer without a contract is gone from every table, encrypted columns included, and from every response', async () => {
  const { quoteId, customerId } = await onboardWithKeys(partner, false)
  const before = findOccurrences(await readDecryptedContents(service, processorKey), words)
  for (const place of [
    'customers.personal',
    'customers.psr',
    'death_reports.details',
    'idempotency_keys.response',
    'simulated_processor',
    'quotes.reference',
    'quotes.metadata',
  ])
    assert.ok(
      before.some((found) => found.startsWith(place)),
      `${place} contained personal data before, so the search works`,
    )
  processor.setMode('unreachable')
  succeeded(await partner.post(`/Customers/${customerId}/erase`))
  const down = await sweep()
  processor.setMode('up')
  const [waiting] = await rawRows(service, 'select attempt_count from processor_deletions where customer_id = $1', [
    customerId,
  ])
  assert.ok(
    Number(waiting?.attempt_count) >= 1 && down.deleted === 0,
    'the processor was down, so the deletion is retried',
  )
  await dueNow()
  assert.deepEqual(await sweep(), { claimed: 1, deleted: 1, failures: [] })
  assert.deepEqual(await rawRows(service, 'select from processor_deletions'), [])

  assert.deepEqual(findOccurrences(await readDecryptedContents(service, processorKey), words), [])
  assert.deepEqual(findOccurrences(await readEverything(quoteId, customerId), words), [])
  const [row] = await rawRows(service, 'select email_hash from customers where customer_id = $1', [customerId])
  assert.equal(row?.email_hash, `erased:${customerId}`)
})

test('an erased customer whose contract has ended remains only where docs/privacy.md says', async () => {
  const { quoteId, customerId } = await onboardWithKeys(partner, true)
  await storeEndRequest(service, customerId, person.notes)
  const before = findOccurrences(await readDecryptedContents(service, processorKey), words)
  assert.ok(before.some((place) => place.startsWith('end_requests.details')))
  await advanceClock(partner, { days: 800 })
  succeeded(await partner.post(`/Customers/${customerId}/erase`))
  await dueNow()
  await sweep()
  const kept = findOccurrences(await readDecryptedContents(service, processorKey), words)
  assert.deepEqual(
    [...new Set(kept.map((place) => place.split(',')[0]))],
    ['contract_documents.html', 'contract_documents.pdf', 'contracts.agreement', 'customers.acceptance_evidence'],
  )
  const { given, family, email, ip, agent } = person
  const inDocuments = kept.filter((place) => place.startsWith('contract_documents.html'))
  assert.equal(inDocuments.length, 3)
  for (const place of kept)
    assert.ok(
      [given, family, email, ip, agent].some((word) => place.endsWith(word)),
      place,
    )
  const responses = await readEverything(quoteId, customerId)
  const shown = [person.ip, person.agent].map((word) => `/Customers/${customerId}/export: ${word}`)
  assert.deepEqual(findOccurrences(responses, words), shown)
})

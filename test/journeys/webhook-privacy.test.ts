import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventTypes } from '../../src/events/event.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { eventsOf, waitForDeliveries } from '../support/deliveries.ts'
import { everyAttempt } from '../support/every-attempt.ts'
import { attachCard, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { respondToEvents, startReceiver } from '../webhooks/receiver-fixture.ts'

const service = await shareTestService({ WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '1' })
const partner = await connectPartner(service.baseUrl, service.credentials)

/** Personal details that have no word in common with our message texts. */
const people = [
  { name: 'Wilhelmina Quackenbush', email: 'wilhelmina.q@example.com' },
  { name: 'Ezekiel Throckmorton', email: 'ezekiel.t@example.com' },
]
const information = [
  { firstName: 'Wilhelmina', lastName: 'Quackenbush', email: 'w.quackenbush@example.com', phone: '07700 900817' },
  { firstName: 'Ezekiel', lastName: 'Throckmorton', email: 'e.throckmorton@example.com', phone: '+44 7700 900364' },
]
const born = ['1987-03-29', '1991-11-08']
const contact = {
  firstName: 'Philippa',
  lastName: 'Vandersloot',
  relationship: 'great-aunt',
  phone: '07700 900592',
  email: 'philippa.v@example.com',
  consentGiven: true,
}
const psr = {
  hasPsr: true,
  categories: [{ code: '08' }, { code: '33', expiryDate: '2099-01-31' }],
  password: 'heliotrope',
  communicationFormat: 'braille',
  notes: 'rings twice',
  consentToShare: true,
  authorisedContact: contact,
}

/** Every spelling in which a value could appear: as given, without spaces, and as the service normalises it. */
function spellings(datum: string): string[] {
  const digits = datum.replace(/\D/g, '')
  const isPhone = /^[+\d ]+$/.test(datum) && digits.length > 9
  return [datum, datum.replaceAll(' ', ''), ...(isPhone ? [digits.slice(-9)] : [])]
}

test('no event, delivery or attempt contains personal details, nor do their stored rows', async (t) => {
  const receiver = await startReceiver(
    t,
    respondToEvents((_received, response, count) => response.writeHead(count % 5 === 0 ? 500 : 200).end('ok')),
  )
  const url = `https://127.0.0.1:${receiver.port}/`
  const events = [...eventTypes]
  const { webhookId, secret } = succeeded(await partner.post('/Webhooks', { url, events }))
  const { quoteId, tenants } = await startHousehold(partner, { tenants: people, reference: 'ref-1' })
  const { address } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  for (const [index, customerId] of tenants.entries()) {
    const body = { ...information[index], dateOfBirth: born[index], ...(index === 0 ? { psrDetails: psr } : {}) }
    succeeded(await partner.post(`/Customers/${customerId}/finalise-personal-information`, body))
    await attachCard(partner, customerId, 'pm_card_chargeDeclined')
    await attachCard(partner, customerId)
    succeeded(await partner.post(`/Customers/${customerId}/accept-terms`))
  }
  for (const customerId of tenants) succeeded(await partner.post(`/Sandbox/customers/${customerId}/collect`, {}))
  const known = await eventsOf(partner, 21)
  const deliveries = await waitForDeliveries(
    partner,
    webhookId,
    (found) => found.length > known.length && found.every(({ status }) => status !== 'pending'),
  )
  const told = new Set<string>(
    known.map(({ data }) => ('status' in data ? data.status : 'paymentStatus' in data ? data.paymentStatus : '')),
  )
  assert.ok(['completed', 'OnboardingComplete', 'setup_failed', 'paid'].every((status) => told.has(status)))

  const { addressLine1, city, postCode } = address
  const given = [
    ...people.flatMap(({ name, email }) => [name, ...name.split(' '), email]),
    ...information.flatMap(Object.values),
    ...born,
    contact.firstName,
    contact.lastName,
    contact.relationship,
    contact.phone,
    contact.email,
    psr.password,
    psr.communicationFormat,
    psr.notes,
    // 'psr' alone is not searched for, because in a long run ids contain these three letters by chance.
    'psrDetails',
    'hasPsr',
    'categories',
    '2099-01-31',
    addressLine1,
    city,
    postCode,
    '_secret_',
  ].flatMap(spellings)
  const details = await Promise.all(deliveries.map(({ deliveryId }) => partner.get(`/Deliveries/${deliveryId}`)))
  const seen = {
    'received messages': receiver.received.map(({ body, headers, path }) => [body, headers, path]),
    'listed events': known,
    'listed deliveries': deliveries,
    'deliveries with their attempts': details.map(({ text }) => text),
    'rows of events': await rawRows(service, 'select * from events'),
    'rows of deliveries': await rawRows(service, 'select * from deliveries'),
    'rows of attempts': await rawRows(service, `select * from ${everyAttempt} a`),
  }
  for (const [place, content] of Object.entries(seen)) {
    const text = JSON.stringify(content)
    assert.ok(text.length > 1_000, place)
    const found = given.filter((datum) => text.toLowerCase().includes(datum.toLowerCase()))
    assert.deepEqual(found, [], place)
    assert.equal(text.includes(secret.slice('whsec_'.length)), false, place)
  }
  // The codes of the Priority Services Register are too short to search for, but no field could contain one.
  for (const { data } of known)
    assert.deepEqual(
      Object.keys(data).filter(
        (name) =>
          !/^(customerId|quoteId|reference|branch|soldBy|contractNumber|reason|(previous)?(Payment|payment)?[sS]tatus)$/.test(
            name,
          ),
      ),
      [],
    )
})

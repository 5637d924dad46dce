import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import type { PsrFeedObject } from '../../src/back-office/psr-feed/psr-feed.route.ts'
import { psrReviewJob } from '../../src/back-office/psr-feed/psr-review.job.ts'
import { reviewPsr } from '../../src/back-office/psr-feed/review-psr.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { withDatabaseKeys } from '../privacy/decrypted-contents.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { onboard, psrDetails, startHousehold } from '../support/household.ts'
import { connectOperator, eraseByForce, followFeed } from '../support/operator.ts'
import { connectNewPartner, connectWithScopes } from '../support/partners.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'

type PsrFeed = Static<typeof PsrFeedObject>

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const operator = await connectOperator(service, ['psr:read', 'contracts:write'])

/** Reads the register feed from a cursor, or from the start, to its present end. */
async function followRegister(after?: string): Promise<{ entries: PsrFeed['data']; nextCursor: string }> {
  const entries: PsrFeed['data'] = []
  for (let cursor = after; ; ) {
    const page = succeeded(
      await operator.get<PsrFeed>(`/PriorityServices${cursor === undefined ? '' : `?after=${cursor}`}`),
    )
    entries.push(...page.data)
    cursor = page.nextCursor
    if (!page.hasMore) return { entries, nextCursor: cursor }
  }
}

/** The customer's entry once it has this version. */
async function entryOf(customerId: string, version: number) {
  const find = async () => (await followRegister()).entries.find((entry) => entry.customerId === customerId)
  const entry = await waitFor(`version ${version} is in the feed`, find, (found) => found?.version === version)
  assert.ok(entry)
  return entry
}

async function registered(by: Partner = partner, details: object = {}) {
  const household = await startHousehold(by, { tenants: 1 })
  await onboard(by, household.lead, { psrDetails: psrDetails({ password: 'bluebell', ...details }) })
  return { ...household, entry: await entryOf(household.lead, 1) }
}

const patch = (customerId: string, body: object, by: Partner = partner) => by.patch(`/Customers/${customerId}`, body)
const acknowledge = (customerId: string, body: object) =>
  operator.post(`/PriorityServices/${customerId}/acknowledge`, body)

test('a customer with needs is registered once their contract is in force, with all that networks need', async () => {
  const { lead, entry } = await registered()
  const { address } = succeeded(await partner.get(`/Quotes/${entry.quoteId}`))
  assert.equal(entry.change, 'registered')
  assert.equal(entry.registration?.home.addressLine1, address.addressLine1)
  assert.deepEqual(
    { ...entry.registration, home: null },
    {
      name: 'Alex Morgan',
      email: `${lead}@example.com`,
      phone: '+447700900123',
      dateOfBirth: '1999-05-17',
      home: null,
      needs: [{ code: '08', expiryDate: null, youngestChildDateOfBirth: null, lastDay: null, hasEnded: false }],
      authorisedContact: {
        firstName: 'Sam',
        lastName: 'Carer',
        relationship: 'sister',
        phone: '+447700900456',
        email: null,
      },
      password: 'bluebell',
      communicationFormat: null,
      notes: null,
    },
  )
})

test('customers without needs, and those whose contract is not in force, are not in the feed', async () => {
  const waiting = await startHousehold(partner)
  await onboard(partner, waiting.lead, { psrDetails: psrDetails() })
  const without = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, without.lead, { psrDetails: { hasPsr: false } })
  await registered()
  const ids = (await followRegister()).entries.map(({ customerId }) => customerId)
  assert.deepEqual([ids.includes(waiting.lead), ids.includes(without.lead)], [false, false])
})

test('new details, a new phone number and a corrected meter point are each a new version at the end of the feed', async () => {
  const { lead, entry } = await registered()
  const { nextCursor } = await followRegister()
  succeeded(await patch(lead, { psrDetails: psrDetails({ categories: [{ code: '09' }] }) }))
  assert.equal((await entryOf(lead, 2)).registration?.needs[0]?.code, '09')
  succeeded(await patch(lead, { phone: '+447700900999' }))
  assert.equal((await entryOf(lead, 3)).registration?.phone, '+447700900999')
  const correction = { mpan: '1099850091430', reason: 'exchanged' }
  succeeded(await operator.post(`/Contracts/${entry.contractNumber}/corrections`, correction))
  assert.equal((await entryOf(lead, 4)).registration?.home.mpan, '1099850091430')
  const later = (await followRegister(nextCursor)).entries.filter(({ customerId }) => customerId === lead)
  assert.deepEqual(
    later.map(({ version, change }) => [version, change]),
    [[4, 'changed']],
  )
  assert.equal(later[0]?.contractNumber, entry.contractNumber)
})

test('a withdrawal appears again after a day until it is acknowledged, and goes with an erased customer', async () => {
  const { lead } = await registered()
  succeeded(await patch(lead, { psrDetails: { hasPsr: false } }))
  await entryOf(lead, 2)
  const dayLater = async (after: string) => {
    await rawRows(
      service,
      `update psr_entries set positioned_at = positioned_at - interval '25 hours' where customer_id = $1`,
      [lead],
    )
    return (await followRegister(after)).entries.filter(({ customerId }) => customerId === lead).length
  }
  const { nextCursor } = await followRegister()
  assert.equal((await followRegister(nextCursor)).entries.length, 0)
  assert.equal(await dayLater(nextCursor), 1)
  const sentAgain = (await followRegister()).nextCursor
  succeeded(await acknowledge(lead, { version: 2, reference: 'PSR-7' }))
  assert.equal(await dayLater(sentAgain), 0)
  await eraseByForce(service, lead)
  assert.equal(
    (await followRegister()).entries.some(({ customerId }) => customerId === lead),
    false,
  )
})

test('an erasure withdraws the registration, and its acknowledgement removes the entry', async () => {
  const { lead } = await registered()
  await eraseByForce(service, lead)
  assert.deepEqual([(await entryOf(lead, 2)).change, (await entryOf(lead, 2)).registration], ['withdrawn', null])
  succeeded(await acknowledge(lead, { version: 2, reference: 'PSR-9' }))
  assert.deepEqual(await rawRows(service, 'select from psr_entries where customer_id = $1', [lead]), [])
  rejected(await acknowledge(lead, { version: 2, reference: 'PSR-9' }), 404, 'not_found')
})

test('a need that has ended makes a new version; when all have ended, the registration has expired', async () => {
  const own = await connectNewPartner(service)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const categories = [
    { code: '32', expiryDate: inDays(2) },
    { code: '33', expiryDate: inDays(10) },
  ]
  const { lead } = await registered(own, { categories })
  const runJob = () =>
    withDatabaseKeys(service, ({ databases, cipher }) =>
      psrReviewJob({ databases, cipher, clock: systemClock }).run(new AbortController().signal),
    )
  await runJob()
  assert.equal((await entryOf(lead, 1)).change, 'registered')
  await advanceClock(own, { days: 4 })
  await runJob()
  const { change, registration } = await entryOf(lead, 2)
  assert.deepEqual([change, registration?.needs.map(({ hasEnded }) => hasEnded)], ['changed', [true, false]])
  await advanceClock(own, { days: 8 })
  await runJob()
  await runJob()
  assert.equal((await entryOf(lead, 3)).change, 'expired')
})

test('a registration that cannot be read keeps no other one from being reviewed, and its failure is told', async () => {
  const own = await connectNewPartner(service)
  const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
  const bad = await registered(own, { categories: [{ code: '32', expiryDate: inDays(1) }] })
  const good = await registered(own, { categories: [{ code: '32', expiryDate: inDays(2) }] })
  await advanceClock(own, { days: 4 })
  const review = () =>
    withDatabaseKeys(service, ({ databases, cipher }) =>
      reviewPsr({ databases, cipher, clock: systemClock }, { batch: 1, isStopping: () => false }),
    )
  const store = (value: unknown) =>
    rawRows(service, 'update customers set psr_encrypted = $2 where customer_id = $1', [bad.lead, value])
  const [row] = await rawRows(service, 'select psr_encrypted as value from customers where customer_id = $1', [
    bad.lead,
  ])
  await store('damaged')
  await assert.rejects(review())
  await store(row?.value)
  assert.equal((await entryOf(good.lead, 2)).change, 'expired')
  await review()
  assert.equal((await entryOf(bad.lead, 2)).change, 'expired')
})

test('a version is acknowledged once: another reference is rejected, and so is a version that does not exist', async () => {
  const { lead } = await registered()
  const first = succeeded(await acknowledge(lead, { version: 1, reference: 'PSR-1' }))
  assert.deepEqual(succeeded(await acknowledge(lead, { version: 1, reference: 'PSR-1' })), first)
  rejected(await acknowledge(lead, { version: 1, reference: 'PSR-2' }), 422, 'acknowledged_otherwise')
  assert.equal((await entryOf(lead, 1)).acknowledged, true)
  assert.deepEqual(
    invalidFields(rejected(await acknowledge(lead, { version: 2, reference: 'PSR-1' }), 422, 'validation_failed')),
    [['/version', 'out_of_range']],
  )
  succeeded(await patch(lead, { psrDetails: psrDetails({ notes: 'Ring twice' }) }))
  assert.equal((await entryOf(lead, 2)).acknowledged, false)
  rejected(await acknowledge('tenant_00000000000000000000000000', { version: 1, reference: 'PSR-1' }), 404, 'not_found')
})

test('nothing shows a registration without psr:read: not the contract feed, nor an export of the customer', async () => {
  const contracts = await connectOperator(service, ['contracts:read'])
  const { lead, entry } = await registered()
  succeeded(await acknowledge(lead, { version: 1, reference: 'PSR-1' }))
  const { entries } = await followFeed(contracts)
  const records = entries.filter(({ record }) => record.customerId === lead)
  const timeline = succeeded(await contracts.get(`/Contracts/${entry.contractNumber}`))
  const exporter = await connectWithScopes(service, ['customers:read', 'customers:export'])
  const exported = succeeded(await exporter.get(`/Customers/${lead}/export`)) as { auditLog: unknown[] }
  assert.ok(records.length > 0)
  // Ids and hashes contain any letters, and a digit.
  const text = JSON.stringify([records, timeline, exported.auditLog]).replace(/[\w-]*\d[\w-]*/g, '')
  assert.equal(/psr|bluebell|priority|register/i.exec(text), null)
  rejected(await contracts.get('/PriorityServices'), 403, 'insufficient_scope')
})

test('each page is an audit entry psr.read of each partner on it, and a cursor of the contract feed is rejected', async () => {
  const { lead, entry } = await registered()
  const [read] = await rawRows(
    service,
    `select action, subject_type, fields from audit_log where operation = 'listPriorityServices' and partner_id = $1
     order by entry_number desc limit 1`,
    [entry.partnerId],
  )
  assert.deepEqual([read?.action, read?.subject_type], ['psr.read', 'psr'])
  assert.ok(String(read?.fields).includes(lead))
  const contracts = await connectOperator(service, ['contracts:read'])
  const { nextCursor } = await followFeed(contracts)
  rejected(await operator.get(`/PriorityServices?after=${nextCursor}`), 422, 'feed_reset')
  rejected(await operator.get('/PriorityServices?after=abc'), 422, 'validation_failed')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { pino } from 'pino'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { addDays, londonDate } from '../../src/platform/kernel/dates.ts'
import { personalDataRetentionJob } from '../../src/privacy/personal-data-retention.job.ts'
import { removeAbandonedQuotes } from '../../src/privacy/remove-abandoned-quotes.ts'
import { removeEndedContracts } from '../../src/privacy/remove-ended-contracts.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, psrContact, psrDetails, startHousehold } from '../support/household.ts'
import { expire } from '../support/quote-fixtures.ts'
import { replace, startReplacement } from '../support/replacements.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { findOccurrences, readDecryptedContents, withDatabaseKeys } from './decrypted-contents.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)

const today = londonDate(new Date())

const isStopping = () => false
const sweep = (batch = 100) =>
  withDatabaseKeys(service, (opened) =>
    removeAbandonedQuotes({ ...opened, clock: systemClock }, { days: 90, batch, isStopping }),
  )
const sweepContracts = (batch = 100) =>
  withDatabaseKeys(service, (opened) => removeEndedContracts({ ...opened, clock: systemClock }, { batch, isStopping }))
/** Makes the personal data of a customer unreadable; returns what to call to undo it. */
async function damage(customerId: string) {
  const [row] = await rawRows(service, 'select personal_encrypted as value from customers where customer_id = $1', [
    customerId,
  ])
  const store = (value: unknown) =>
    rawRows(service, 'update customers set personal_encrypted = $2 where customer_id = $1', [customerId, value])
  await store('damaged')
  return () => store(row?.value)
}
const expiredFor = (quoteId: string, days: number) =>
  rawRows(service, `update quotes set expires_at = now() - $2 * interval '1 day' where quote_id = $1`, [quoteId, days])
const names = async (quoteId: string): Promise<string[]> =>
  succeeded(await partner.get(`/Quotes/${quoteId}`)).tenants.map(({ name }) => name)

test('an abandoned quote that expired long enough ago loses its personal data but stays readable', async () => {
  const kept = await startHousehold(partner, { reference: 'kept' })
  const gone = await startHousehold(partner, { reference: 'gone "\\" for good' })
  const empty = await startHousehold(partner, { tenants: 0, reference: 'nobody was here' })
  succeeded(await finalise(partner, gone.lead))
  const { monthlyCost } = succeeded(await partner.get(`/Quotes/${gone.quoteId}/total-cost`))
  await expiredFor(kept.quoteId, 89)
  await expiredFor(gone.quoteId, 91)
  await expiredFor(empty.quoteId, 91)
  assert.equal(await sweep(), 2)
  assert.equal(await sweep(), 0)
  assert.deepEqual(await names(gone.quoteId), ['Erased', 'Erased'])
  assert.deepEqual(await names(kept.quoteId), ['Robin Example1', 'Robin Example2'])
  const quote = succeeded(await partner.get(`/Quotes/${gone.quoteId}`))
  assert.equal(quote.reference, null)
  assert.ok(monthlyCost > 0 && succeeded(await partner.get(`/Customers/${gone.lead}/total-cost`)).monthlyCost > 0)
  const contents = await readDecryptedContents(service, 'unused'.padEnd(32))
  assert.deepEqual(findOccurrences(contents, ['for good', 'nobody was here', `${gone.lead}@example.com`]), [])
  const actors = await rawRows(
    service,
    `select distinct actor, operation from audit_log where customer_id = $1 and 'erased_at' = any(fields)`,
    [gone.lead],
  )
  assert.deepEqual(actors, [{ actor: 'worker', operation: 'removeAbandonedQuotes' }])
})

test('a tenant who is added after everyone was erased is erased like any other, and the quote can have metadata again', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1, metadata: { deal: 'first' } })
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] }))
  const email = 'robin.later@example.com'
  const added = [{ name: 'Robin Later', email }]
  const { leadTenantId } = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: added }))
  const tenantId = leadTenantId ?? ''
  const details = psrDetails({ authorisedContact: psrContact({ lastName: 'Confidant' }) })
  succeeded(await finalise(partner, tenantId, { email, psrDetails: details }))
  succeeded(await partner.get(`/Customers/${tenantId}/payment-schedules`))
  succeeded(await partner.patch(`/Quotes/${quoteId}`, { metadata: { deal: 'second time' } }))
  await expiredFor(quoteId, 91)
  assert.equal(await sweep(), 1)
  assert.deepEqual(await names(quoteId), ['Erased'])
  assert.deepEqual(succeeded(await partner.get(`/Quotes/${quoteId}`)).metadata, {})
  const contents = await readDecryptedContents(service, 'unused'.padEnd(32))
  assert.deepEqual(findOccurrences(contents, ['robin.later', 'confidant', 'second time']), [])
  const shown = await rawRows(service, 'select from previewed_terms where customer_id = $1', [tenantId])
  assert.deepEqual(shown, [])
  assert.equal(await sweep(), 0)
})

test('a tenant who does not accept to take over a share is erased after the same time, and not before', async () => {
  const { quoteId, leaver, joiner } = await startReplacement(partner, { from: addDays(today, 90) })
  await expiredFor(quoteId, 200)
  assert.equal(await sweep(), 0)
  assert.equal((await names(quoteId)).at(-1), 'Jo Joiner')
  await rawRows(service, `update customers set created_at = now() - interval '91 days' where customer_id = $1`, [
    joiner,
  ])
  assert.equal(await sweep(), 1)
  assert.deepEqual(await names(quoteId), ['Alex Morgan', 'Erased'])
  succeeded(await partner.post(`/Customers/${leaver}/withdraw-replacement`))
  await replace(partner, leaver, addDays(today, 90))
})

test('an abandoned quote that cannot be read keeps no other one, and its failure is told', async () => {
  const [bad, good] = [await startHousehold(partner), await startHousehold(partner)]
  await expiredFor(bad.quoteId, 201)
  await expiredFor(good.quoteId, 200)
  const mend = await damage(bad.lead)
  await assert.rejects(sweep(1))
  assert.deepEqual(await names(good.quoteId), ['Erased', 'Erased'])
  await mend()
  assert.equal(await sweep(1), 1)
})

test('a long-expired quote is not abandoned while its lock lasts', async () => {
  const { quoteId, lead } = await startHousehold(partner, { reference: 'half' })
  await onboard(partner, lead)
  await expiredFor(quoteId, 91)
  assert.equal(await sweep(), 0)
  assert.deepEqual(await names(quoteId), ['Alex Morgan', 'Robin Example2'])
})

test('when a lock ended long ago, everyone is erased, but the records of a lapsed contract are kept for six years', async () => {
  const { quoteId, lead } = await startHousehold(partner, { reference: 'half' })
  await onboard(partner, lead)
  await expire(partner, quoteId)
  await expiredFor(quoteId, 91)
  assert.equal(await sweep(), 1)
  assert.deepEqual(await names(quoteId), ['Erased', 'Erased'])
  const kept = `select from contracts join contract_documents using (contract_number)
    where contracts.customer_id = $1 and acceptance is not null and evidence_encrypted is not null`
  assert.equal((await rawRows(service, kept, [lead])).length, 1)
  const endedOn = `update contracts set ended_on = (now() - interval '6 years')::date + $2::int where customer_id = $1`
  await rawRows(service, endedOn, [lead, 1])
  assert.equal(await sweepContracts(), 0)
  await rawRows(service, endedOn, [lead, -1])
  assert.equal(await sweepContracts(), 1)
  assert.deepEqual(await rawRows(service, kept, [lead]), [])
  const { contracts } = succeeded(await partner.get(`/Customers/${lead}/contracts`))
  assert.deepEqual(
    contracts.map(({ status }) => status),
    ['lapsed'],
  )
})

test('a customer with two contracts keeps the records of both until the later one may go', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  await onboard(partner, lead)
  succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
  const ended = `update contracts set ended_on = (now() - interval '6 years')::date + $2::int where customer_id = $1
    and end_reason = $3`
  await rawRows(service, ended, [lead, -1, 'reopened'])
  await rawRows(service, ended, [lead, 1, 'quote_cancelled'])
  assert.equal(await sweepContracts(), 0)
  await rawRows(service, ended, [lead, -1, 'quote_cancelled'])
  assert.equal(await sweepContracts(), 1)
  assert.deepEqual(await rawRows(service, 'select from contract_documents where customer_id = $1', [lead]), [])
})

test('a contract is deleted with its documents and evidence six years after its last day, not before', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const ended = (days: number) =>
    rawRows(
      service,
      `update contracts set starts_on = '2010-01-01', ends_on = (now() - interval '6 years')::date + $2::int where quote_id = $1`,
      [quoteId, days],
    )
  await ended(1)
  assert.equal(await sweepContracts(), 0)
  await ended(-1)
  assert.equal(await sweepContracts(), 1)
  assert.equal(await sweepContracts(), 0)
  assert.deepEqual(await rawRows(service, 'select from contract_documents where customer_id = $1', [lead]), [])
  assert.deepEqual(
    await rawRows(
      service,
      `select acceptance, evidence_encrypted as evidence, price, retained_until as until
         from contracts join customers using (customer_id) where customer_id = $1`,
      [lead],
    ),
    [{ acceptance: null, evidence: null, price: null, until: null }],
  )
  assert.deepEqual(await names(quoteId), ['Erased'])
})

test('customers past retention are removed in one run of several batches, but for one who cannot be read', async () => {
  const households = []
  for (const days of [-3, -2, -1]) {
    const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
    await onboard(partner, lead)
    await rawRows(
      service,
      `update contracts set starts_on = '2010-01-01', ends_on = (now() - interval '6 years')::date + $2::int where quote_id = $1`,
      [quoteId, days],
    )
    households.push({ quoteId, lead })
  }
  const [bad = { quoteId: '', lead: '' }, ...good] = households
  const mend = await damage(bad.lead)
  await assert.rejects(sweepContracts(1))
  for (const { quoteId } of good) assert.deepEqual(await names(quoteId), ['Erased'])
  await mend()
  assert.equal(await sweepContracts(1), 1)
})

test('the hourly job erases both abandoned quotes and ended contracts once their retention periods are over', async () => {
  const unreadable = await startHousehold(partner)
  await expiredFor(unreadable.quoteId, 9)
  const [abandoned, recent, ended] = [
    await startHousehold(partner),
    await startHousehold(partner),
    await startHousehold(partner, { tenants: 1 }),
  ]
  await onboard(partner, ended.lead)
  await expiredFor(abandoned.quoteId, 8)
  await expiredFor(recent.quoteId, 6)
  await rawRows(
    service,
    `update contracts set starts_on = '2010-01-01', ends_on = now() - interval '6 years 2 days' where quote_id = $1`,
    [ended.quoteId],
  )
  const logged: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
  const runJob = () =>
    withDatabaseKeys(service, (opened) =>
      personalDataRetentionJob({ ...opened, clock: systemClock, log, abandonedQuoteDays: 7, auditLogYears: 7 }).run(
        new AbortController().signal,
      ),
    )
  const mend = await damage(unreadable.lead)
  await assert.rejects(runJob())
  assert.deepEqual(await names(abandoned.quoteId), ['Erased', 'Erased'])
  assert.deepEqual(await names(ended.quoteId), ['Erased'])
  assert.deepEqual(await names(recent.quoteId), ['Robin Example1', 'Robin Example2'])
  await mend()
  await runJob()
  assert.deepEqual(
    logged.map(({ quotes, contracts }) => [quotes, contracts]),
    [
      [undefined, 1],
      [1, 0],
    ],
  )
})

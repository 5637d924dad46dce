import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { call, connectPartner, partnerWithToken } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, personalInformation, psrDetails, startHousehold } from '../support/household.ts'
import { allScopesBut, connectNewPartner, connectWithScopes } from '../support/partners.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

const psrReads = (customerId: string) =>
  rawRows(service, `select * from audit_log where action = 'psr.read' and customer_id = $1 order by entry_number`, [
    customerId,
  ])

test('the export of a fully onboarded customer is complete, and the audit log says who requested it', async () => {
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1, reference: 'let-7' })
  const details = psrDetails({ notes: 'uses oxygen at night' })
  succeeded(await finalise(partner, lead, { psrDetails: details, supplyDuringCancellation: true }))
  await attachCard(partner, lead)
  const shownText = 'Electricity and gas for 12 months.\nAgree and pay £58.82 a month'
  const evidence = { tenantIp: '192.0.2.7', tenantUserAgent: 'Example/1', shownText }
  const { termsAcceptedAt } = succeeded(await partner.post(`/Customers/${lead}/accept-terms`, evidence))
  const response = await partner.get(`/Customers/${lead}/export`)
  const held = succeeded(response)
  const given = personalInformation({ email: `${lead}@example.com` })
  assert.deepEqual(held.personalDetails, { ...given, phone: '+447700900123' })
  assert.ok(held.terms && held.payments)
  assert.equal(held.psrDetails?.notes, 'uses oxygen at night')
  assert.equal(held.psrDetails?.authorisedContact?.phone, '+447700900456')
  assert.deepEqual([held.supplyDuringCancellation, held.erasedAt, held.retainedUntil], [true, null, null])
  assert.deepEqual([held.quote.quoteId, held.quote.reference], [quoteId, 'let-7'])
  const { tenantIp, tenantUserAgent, shownText: kept, acceptedAt, totalCost } = held.terms
  assert.deepEqual({ tenantIp, tenantUserAgent, shownText: kept }, evidence)
  assert.equal(acceptedAt, termsAcceptedAt)
  const paid = held.payments.reduce((sum, { amount }) => sum + amount, 0)
  assert.deepEqual([totalCost, paid], [held.cost?.totalCost, held.cost?.totalCost])
  for (const { format, sha256, base64 } of held.documents) {
    assert.equal(createHash('sha256').update(Buffer.from(base64, 'base64')).digest('hex'), sha256, format)
    assert.equal(sha256, held.terms[`${format}Sha256`])
  }
  assert.equal(held.documents.length, 2)
  assert.ok(held.events.some(({ type }) => type === 'customer.status.changed'))
  assert.deepEqual(
    held.setupIntents.map(({ status }) => status),
    ['succeeded'],
  )
  assert.match(held.processorCustomerId ?? '', /^cus_/)
  const operations = held.auditLog.map(({ operation }) => operation)
  for (const done of ['addTenants', 'finalisePersonalInformation', 'acceptTerms']) assert.ok(operations.includes(done))

  const [read, ...others] = await psrReads(lead)
  assert.deepEqual(
    [read?.actor, read?.credential, read?.request_id, read?.operation, others.length],
    ['client', service.credentials.clientId, response.headers.get('x-request-id'), 'exportCustomer', 0],
  )
  const again = succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.ok(again.auditLog.some(({ action }) => action === 'psr.read'))
  assert.equal((await psrReads(lead)).length, 2)
})

test('exporting a customer without PSR details is logged as an export but not as an access to such details', async () => {
  const { lead } = await startHousehold(partner)
  const held = succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.deepEqual([held.psrDetails, held.terms, held.documents], [null, null, []])
  assert.deepEqual(await psrReads(lead), [])
  assert.equal(
    (await rawRows(service, `select from audit_log where action = 'exported' and customer_id = $1`, [lead])).length,
    1,
  )
})

test('reading a customer without exporting them is not logged as an access to PSR details', async () => {
  const { lead, quoteId } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead, { psrDetails: psrDetails() }))
  const reads = [`/Customers/${lead}`, `/Customers/${lead}/payment-schedules`, `/Quotes/${quoteId}`]
  for (const path of reads) assert.ok(!Object.hasOwn(Object(succeeded(await partner.get(path))), 'psrDetails'))
  assert.deepEqual(await psrReads(lead), [])
})

test('a customer on a quote without packages is exported without a cost or payments', async () => {
  const { lead } = await startHousehold(partner, { packages: [] })
  const { cost, payments } = succeeded(await partner.get(`/Customers/${lead}/export`))
  assert.deepEqual([cost, payments], [null, null])
})

/** A finalised customer whose PSR details have been read once, so that the audit log mentions them. */
async function customerWithPsr(): Promise<string> {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await finalise(partner, lead, { psrDetails: psrDetails({ password: 'bluebell', notes: 'uses oxygen' }) }))
  assert.equal(succeeded(await partner.get(`/Customers/${lead}/export`)).psrDetails?.password, 'bluebell')
  return lead
}

const entries = (customerId: string, action: string) =>
  rawRows(service, 'select from audit_log where customer_id = $1 and action = $2', [customerId, action])

test('credentials that only read customers cannot export one, and the error names the scope', async () => {
  const reports = await connectWithScopes(service, ['quotes:read', 'customers:read'])
  const lead = await customerWithPsr()
  assert.equal((await reports.get(`/Customers/${lead}`)).status, 200)
  const response = await reports.get(`/Customers/${lead}/export`)
  assert.equal(response.status, 403)
  assert.match(JSON.stringify(response.body), /requires the scope customers:export, .*"insufficient_scope"/)
  assert.equal((await entries(lead, 'exported')).length, 1, "the fixture's own export")
})

test('an export without psr:read leaves out PSR details and every sign of them, and says which scope they need', async () => {
  const exporter = await connectWithScopes(service, allScopesBut('psr:read'))
  const lead = await customerWithPsr()
  const response = await exporter.get(`/Customers/${lead}/export`)
  const held = succeeded(response)
  assert.ok(!Object.hasOwn(held, 'psrDetails'))
  assert.deepEqual(
    held.omitted.map(({ member, scope }) => [member, scope]),
    [['psrDetails', 'psr:read']],
  )
  assert.ok(held.auditLog.some(({ operation }) => operation === 'finalisePersonalInformation'))
  const text = JSON.stringify({ ...held, omitted: [] })
  for (const sign of ['bluebell', 'oxygen', 'psr']) assert.ok(!text.includes(sign), sign)
  assert.deepEqual([(await entries(lead, 'psr.read')).length, (await entries(lead, 'exported')).length], [1, 2])
})

test('an export without psr:read looks the same for a customer who has no PSR details', async () => {
  const exporter = await connectWithScopes(service, ['customers:export'])
  const { lead } = await startHousehold(partner)
  const held = succeeded(await exporter.get(`/Customers/${lead}/export`))
  assert.deepEqual([Object.hasOwn(held, 'psrDetails'), held.omitted.length], [false, 1])
})

test('a token that was requested without psr:read does not show PSR details, although its credentials may', async () => {
  const lead = await customerWithPsr()
  const asked = { ...service.credentials, scope: 'customers:export' }
  const { access_token } = succeeded(await call(service.baseUrl, 'POST', '/partner-api/Auth/token', asked))
  const narrow = partnerWithToken(service.baseUrl, access_token)
  assert.ok(!Object.hasOwn(succeeded(await narrow.get(`/Customers/${lead}/export`)), 'psrDetails'))
})

test('an erased customer without a contract stays in the quote only as a placeholder with a share of the cost', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  const before = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  const detailsOf = async () => succeeded(await partner.get(`/Customers/${lead}/export`)).personalDetails
  const given = await detailsOf()
  const erased = succeeded(await partner.post(`/Customers/${lead}/erase`))
  assert.deepEqual([erased.customerId, erased.retainedUntil, erased.retained], [lead, null, []])
  const { firstName, ...others } = await detailsOf()
  assert.equal(firstName, 'Erased')
  for (const [name, value] of Object.entries(given)) assert.ok(value, `${name} was given`)
  assert.deepEqual(['firstName', ...Object.keys(others)], Object.keys(given))
  for (const [name, value] of Object.entries(others)) assert.ok(value === '' || value === null, `${name} is erased`)
  const quote = succeeded(await partner.get(`/Quotes/${quoteId}`))
  assert.equal(quote.leadTenantId, null)
  const after = succeeded(await partner.get(`/Quotes/${quoteId}/total-cost`))
  assert.equal(after.totalCost, before.totalCost)
})

test('an erasure repeated with or without an idempotency key returns the same timestamp', async () => {
  const { lead } = await startHousehold(partner)
  const path = `/Customers/${lead}/erase`
  const headers = { 'Idempotency-Key': 'erase-once' }
  const first = succeeded(await partner.post(path, undefined, { headers }))
  assert.deepEqual(succeeded(await partner.post(path)), first)
  const replay = await partner.post(path, undefined, { headers })
  assert.deepEqual(succeeded(replay), first)
  assert.equal(replay.headers.get('idempotent-replayed'), 'true')
})

test('an erased customer cannot take further steps, but the tenant can be removed', async () => {
  const { quoteId, lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead))
  succeeded(await partner.post(`/Customers/${lead}/erase`))
  rejected(await finalise(partner, lead), 422, 'customer_erased')
  rejected(await partner.post(`/Customers/${lead}/create-setup-intent`), 422, 'customer_erased')
  rejected(await partner.post(`/Customers/${lead}/accept-terms`), 422, 'customer_erased')
  succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [lead] }))
})

test('a customer cannot be erased until the contract has ended; after erasure only the documents are kept', async () => {
  const other = await connectNewPartner(service)
  const { quoteId, lead } = await startHousehold(other, { tenants: 1 })
  await onboard(other, lead)
  const { contractEndDate } = succeeded(await other.get(`/Quotes/${quoteId}`))
  const problem = rejected(await other.post(`/Customers/${lead}/erase`), 422, 'contract_running')
  assert.ok(problem.detail.includes(contractEndDate))
  const daysLeft = Math.floor((Date.parse(contractEndDate) - Date.now()) / 86_400_000)
  await advanceClock(other, { days: daysLeft - 1 })
  rejected(await other.post(`/Customers/${lead}/erase`), 422, 'contract_running')
  await advanceClock(other, { days: 3 })
  const erased = succeeded(await other.post(`/Customers/${lead}/erase`))
  assert.equal(erased.retainedUntil, `${Number(contractEndDate.slice(0, 4)) + 6}${contractEndDate.slice(4)}`)
  assert.ok(erased.retained.includes('contract documents'))
  const held = succeeded(await other.get(`/Customers/${lead}/export`))
  assert.equal(held.documents.length, 2)
  assert.equal(held.personalDetails.email, '')
  assert.ok(held.terms && held.terms.termsVersion.length > 0)
  succeeded(await other.get(`/Customers/${lead}/pci-contract-url-html`))
})

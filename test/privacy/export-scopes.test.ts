import assert from 'node:assert/strict'
import { test } from 'node:test'
import { call, connectPartner, partnerWithToken } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, psrDetails, startHousehold } from '../support/household.ts'
import { allScopesBut, connectWithScopes } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

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

test('an export with both scopes is complete', async () => {
  const exporter = await connectWithScopes(service, ['customers:export', 'psr:read'])
  const held = succeeded(await exporter.get(`/Customers/${await customerWithPsr()}/export`))
  assert.deepEqual([held.psrDetails?.notes, held.omitted], ['uses oxygen', []])
})

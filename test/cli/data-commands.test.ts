import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Type from 'typebox'
import { connectPartner } from '../support/client.ts'
import { finalise, onboard, psrDetails, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill, prepareEnvironment } from './cli-fixture.ts'
import { AuditEntries, IssuedCredentials } from './command-output.ts'

const service = await startTestService()
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const run = (...args: string[]) => housebill(args, service.environment)

test('customers export prints all stored data of any customer, and the log records that the operator read it', async () => {
  const { lead } = await startHousehold(partner)
  succeeded(await finalise(partner, lead, { psrDetails: psrDetails({ notes: 'oxygen' }) }))
  const printed = await run('customers', 'export', lead, '--json')
  assertSucceeded(printed)
  const { psrDetails: held } = printed.json(Type.Object({ psrDetails: Type.Object({ notes: Type.String() }) }))
  assert.equal(held.notes, 'oxygen')
  const listed = await run('audit', 'list', '--customer', lead, '--json')
  assertSucceeded(listed)
  const read = listed.json(AuditEntries).entries.find(({ action }) => action === 'psr.read')
  assert.deepEqual([read?.actor, read?.operation, read?.fields], ['operator', 'customers export', ['psr']])
  assert.match(read?.credential ?? '', /\S/)
})

test('"customers erase" is rejected while a contract is running; with --force it erases the data and is logged', async () => {
  const { lead } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead)
  const refused = await run('customers', 'erase', lead, '--json')
  assertFailedAsJson(refused, 'contract_running')
  assert.match(refused.stdout, /add --force/)
  const forced = await run('customers', 'erase', lead, '--force', '--json')
  assertSucceeded(forced)
  assert.match(forced.json(Type.Object({ retainedUntil: Type.String() })).retainedUntil, /^\d{4}-\d\d-\d\d$/)
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).personalDetails.firstName, 'Erased')
  const { entries } = (await run('audit', 'list', '--customer', lead, '--json')).json(AuditEntries)
  assert.ok(entries.some(({ operation }) => operation === 'customers erase --force'))
})

test('the customers and audit commands say what is wrong with a malformed id or date', async () => {
  const nobody = 'tenant_01h455vb4pex5vsknk084sn02q'
  assertFailedAsJson(await run('customers', 'export', nobody, '--json'), 'not_found')
  assertFailedAsJson(await run('customers', 'erase', nobody, '--json'), 'not_found')
  assertFailedAsJson(await run('audit', 'list', '--partner', 'partner_nobody', '--json'), 'not_found')
  assert.equal((await run('audit', 'list', '--since', 'yesterday')).code, 2)
  assert.equal((await run('audit', 'list', '--limit', '0')).code, 2)
  assert.equal((await run('customers', 'export')).code, 2)
  assert.equal((await run('customers', 'erase', nobody, '--email', 'a@example.com')).code, 2)
})

test('audit list prints entries from a start date, oldest first, up to a limit', async () => {
  const listed = await run('audit', 'list', '--since', '2026-01-01', '--limit', '5', '--json')
  const times = listed.json(AuditEntries).entries.map(({ at }) => at)
  assert.equal(times.length, 5)
  assert.deepEqual(times, times.toSorted())
  assert.deepEqual((await run('audit', 'list', '--since', '2100-01-01', '--json')).json(AuditEntries).entries, [])
  assert.match((await run('audit', 'list', '--limit', '2')).stdout, /^ {2}AT .*WHO .*OPERATION/)
})

test('a person is exported and erased at every partner by e-mail address, with a report of what was rejected', async () => {
  const other = await connectNewPartner(service)
  const email = 'Grace@Example.com'
  const running = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, running.lead, { email })
  const open = await startHousehold(other, { tenants: 1 })
  succeeded(await finalise(other, open.lead, { email: email.toLowerCase() }))
  const ids = [running.lead, open.lead].sort()
  const Person = Type.Object({ customers: Type.Array(Type.Object({ customerId: Type.String() })) })

  const held = await run('customers', 'export', '--email', email, '--json')
  assertSucceeded(held)
  assert.deepEqual(
    held
      .json(Person)
      .customers.map(({ customerId }) => customerId)
      .sort(),
    ids,
  )
  const partly = await run('customers', 'erase', '--email', email, '--json')
  assertFailedAsJson(partly, 'erasure_incomplete')
  const Report = Type.Object({
    customers: Type.Array(
      Type.Object({ customerId: Type.String(), erasedAt: Type.Union([Type.String(), Type.Null()]) }),
    ),
  })
  const erasedIds = (report: typeof partly) =>
    report.json(Report).customers.flatMap(({ customerId, erasedAt }) => (erasedAt === null ? [] : [customerId]))
  assert.deepEqual(erasedIds(partly), [open.lead])
  const forced = await run('customers', 'erase', '--email', email, '--force', '--json')
  assertSucceeded(forced)
  assert.deepEqual(erasedIds(forced), [running.lead])
  assertFailedAsJson(await run('customers', 'export', '--email', email, '--json'), 'not_found')
  assertFailedAsJson(await run('customers', 'erase', '--email', email, '--json'), 'not_found')
})

const { environment, drop } = await prepareEnvironment()
after(drop)

const partnerCommand = (...args: string[]) => housebill(['partner', ...args], environment)

test('create prints the secret once, as JSON for programs or people, and says on standard error to keep it', async () => {
  const run = await partnerCommand('create', '--name', 'Acme Lettings', '--json')
  assertSucceeded(run)
  const { clientId, clientSecret, ...rest } = run.json(IssuedCredentials)
  assert.deepEqual(Object.keys(rest), ['partnerId'])
  assert.match(`${clientId} ${clientSecret}`, /^sb_\S+ sk_/)
  const people = await partnerCommand('create', '--name', '  Ünïcode Homes 学  ')
  assert.equal(people.code, 0)
  assert.match(people.stdout, /^\{\n {2}"partnerId"/)
  assert.deepEqual(Object.keys(people.json(IssuedCredentials)), ['partnerId', 'clientId', 'clientSecret'])
  assert.match(people.stderr, /Save the secret now/)
})

const outside = {
  ...environment,
  IDP_ISSUER: 'https://id.example/',
  IDP_TOKEN_URL: 'https://id.example/oauth/token',
  IDP_JWKS_URL: 'https://id.example/jwks',
}

test("a partnerCommand with an external identity provider is registered by the provider's client id, without a secret", async () => {
  const create = ['partner', 'create', '--name', 'Outside', '--client-id']
  const run = await housebill([...create, 'A1b2 c3', '--json'], outside)
  assertSucceeded(run)
  const { partnerId: _, ...rest } = run.json(Type.Omit(IssuedCredentials, ['clientSecret']))
  assert.deepEqual(rest, { clientId: 'A1b2 c3' })
  assertFailedAsJson(await housebill([...create, 'A1b2 c3', '--json'], outside), 'client_id_taken')
  const early = await housebill([...create, 'early'], environment)
  assert.equal(early.code, 0)
  assert.deepEqual(Object.keys(early.json(Type.Omit(IssuedCredentials, ['clientSecret']))), ['partnerId', 'clientId'])
  assert.match(early.stderr, /No external identity provider is configured/)
  assert.equal((await housebill([...create, 'ünusual'], outside)).code, 2)
})

test('with an external identity provider, the command creates no secret', async () => {
  const made = await housebill(['partner', 'create', '--name', 'Inside'], outside)
  assertFailed(made, /external identity provider keeps the secrets.*--client-id/)
})

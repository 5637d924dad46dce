import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Static } from 'typebox'
import type { PersonList, PersonObject } from '../../src/back-office/people/people.route.ts'
import { operatorRoles, partnerRoles } from '../../src/people/roles.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectOperator } from '../support/operator.ts'
import { invalidFields, rejected, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

type Person = Static<typeof PersonObject>

const service = await shareTestService()
const operator = await connectOperator(service)
const [ownPartner] = await rawRows(service, 'select partner_id from credentials where client_id = $1', [
  service.credentials.clientId,
])
const partnerId = String(ownPartner?.partner_id)
let serial = 0
function newEmail() {
  serial += 1
  return `person-${process.pid}-${serial}@acme.example`
}
const invite = (body: object) =>
  operator.post<Person>('/People', { name: 'Ada Lang', email: newEmail(), roles: ['admin'], partnerId, ...body })

test('the roles are these sets of scopes, and none gives health data', () => {
  const sorted = (roles: Readonly<Record<string, readonly string[]>>) =>
    Object.fromEntries(Object.entries(roles).map(([role, scopes]) => [role, [...scopes].sort().join(' ')]))
  assert.deepEqual(sorted(operatorRoles), {
    admin:
      'contracts:read contracts:write partners:read partners:write payments:read payments:write rates:write support:read support:write',
    finance: 'contracts:read partners:read payments:read payments:write',
    rates: 'partners:read rates:write',
    support: 'contracts:read payments:read support:read support:write',
  })
  assert.deepEqual(sorted(partnerRoles), {
    admin:
      'addresses:read customers:onboard customers:read customers:write people:manage quotes:read quotes:write sandbox:steer webhooks:manage',
    agent: 'addresses:read customers:onboard customers:read customers:write quotes:read quotes:write',
    developer: 'sandbox:steer webhooks:manage',
    reader: 'addresses:read customers:read quotes:read',
  })
})

test('a person is invited, listed with their partner only, changed and removed, and their address is stored as a hash and encrypted', async () => {
  const email = newEmail()
  const invited = succeeded(await invite({ email, branches: ['Leeds'], scopes: ['customers:export'] }))
  const { personId } = invited
  assert.deepEqual(
    [invited.partnerId, invited.email, invited.roles, invited.scopes, invited.branches, invited.state],
    [partnerId, email, ['admin'], ['customers:export'], ['Leeds'], 'invited'],
  )
  assert.equal(invited.invitedBy, operator.clientId)
  const listed = async (query: string) =>
    succeeded(await operator.get<Static<typeof PersonList>>(`/People${query}`)).data.find(
      (each) => each.personId === personId,
    )
  assert.deepEqual(await listed(`?partnerId=${partnerId}`), invited)
  assert.equal(await listed(''), undefined)
  const changed = succeeded(await operator.patch<Person>(`/People/${personId}`, { roles: ['agent'], branches: [] }))
  assert.deepEqual([changed.roles, changed.scopes, changed.branches], [['agent'], ['customers:export'], []])
  const row = async () =>
    (await rawRows(service, 'select to_jsonb(p)::text as text from people p where person_id = $1', [personId]))[0]
  assert.ok(!String((await row())?.text).includes('acme.example'))
  const removed = succeeded(await operator.post<Person>(`/People/${personId}/remove`))
  assert.deepEqual(
    [removed.state, removed.name, removed.email, removed.roles, removed.scopes],
    ['removed', 'Ada Lang', null, [], []],
  )
  assert.deepEqual(succeeded(await operator.post<Person>(`/People/${personId}/remove`)), removed)
  rejected(await operator.patch(`/People/${personId}`, { roles: ['agent'] }), 422, 'validation_failed')
  const entries = await rawRows(
    service,
    'select action, operation, credential from audit_log where partner_id = $1 and subject_id = $2 order by entry_number',
    [partnerId, personId],
  )
  assert.deepEqual(
    entries.map(({ action, operation, credential }) => [action, operation, credential]),
    [
      ['created', 'invitePerson', operator.clientId],
      ['changed', 'changePerson', operator.clientId],
      ['changed', 'removePerson', operator.clientId],
    ],
  )
  succeeded(await invite({ email }))
})

test('people of a partner can share a mailbox under different names; an admin shares it with nobody, also when calls come at once', async () => {
  const email = newEmail()
  succeeded(await invite({ email, name: 'Ada Lang', roles: ['agent'] }))
  const { personId } = succeeded(await invite({ email: email.toUpperCase(), name: 'Jo Carter', roles: ['reader'] }))
  for (const [body, pointer] of [
    [{ email, name: 'ada lang', roles: ['agent'] }, '/email'],
    [{ email, name: 'Sam Okafor', roles: ['admin'] }, '/email'],
    [{ roles: ['support'] }, '/roles/0'],
    [{ roles: ['admin'], partnerId: undefined, scopes: ['customers:export'] }, '/scopes/0'],
  ] as const)
    assert.deepEqual(
      invalidFields(rejected(await invite(body), 422, 'validation_failed')).map(([pointer]) => pointer),
      [pointer],
    )
  rejected(await operator.patch(`/People/${personId}`, { roles: ['reader', 'admin'] }), 422, 'validation_failed')
  const together = newEmail()
  const made = await Promise.all(
    ['Ada Lang', 'Jo Carter', 'Sam Okafor'].map((name) => invite({ email: together, name, roles: ['admin'] })),
  )
  assert.deepEqual(made.map(({ status }) => status).sort(), [200, 422, 422])
  rejected(await invite({ partnerId: 'partner_00000000000000000000000000' }), 404, 'not_found')
  rejected(await operator.post('/People/person_00000000000000000000000000/remove'), 404, 'not_found')
})

test("the operator's people have an address of their own, and nobody gives them what they do not have", async () => {
  const finance = await connectOperator(service, ['partners:read', 'partners:write', 'payments:read'])
  const own = { partnerId: undefined, name: 'Sam Okafor', roles: ['rates'] }
  const email = newEmail()
  for (const roles of [['admin'], ['finance'], ['rates']])
    rejected(await finance.post('/People', { name: 'Sam Okafor', email, roles }), 422, 'validation_failed')
  rejected(await finance.post('/People', { ...own, email, roles: [], scopes: ['psr:read'] }), 422, 'validation_failed')
  const { personId } = succeeded(await invite({ ...own, email, scopes: ['psr:read'] }))
  rejected(await invite({ ...own, email, name: 'Jo Carter' }), 422, 'validation_failed')
  rejected(await finance.patch(`/People/${personId}`, { roles: ['rates', 'support'] }), 422, 'validation_failed')
  succeeded(await finance.patch(`/People/${personId}`, { name: 'Samuel Okafor', roles: ['rates'] }))
})

test('a repeated call with an Idempotency-Key invites nobody twice', async () => {
  const options = { headers: { 'Idempotency-Key': `invite-${process.pid}-${Date.now()}` } }
  const body = { name: 'Ada Lang', email: newEmail(), roles: ['reader'], partnerId }
  const first = succeeded(await operator.post<Person>('/People', body, options))
  assert.deepEqual(succeeded(await operator.post<Person>('/People', body, options)), first)
  rejected(await operator.post('/People', { ...body, name: 'Jo' }, options), 422, 'idempotency_key_reused')
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Type from 'typebox'
import { noSettings } from '../../src/partners/partner-settings.schema.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill, prepareEnvironment } from './cli-fixture.ts'
import { DisabledPartner, IssuedCredentials, Partners, RotatedSecret, SuspendedPartner } from './command-output.ts'

const { environment, drop } = await prepareEnvironment()
after(drop)

const partner = (...args: string[]) => housebill(['partner', ...args], environment)

test('the list says how to create a partner if there is none yet', async () => {
  const run = await partner('list')
  assertSucceeded(run)
  assert.match(
    run.stdout,
    /^There are no partners yet\. Create one with: npx housebill partner create --name <name>\n$/,
  )
})

test('a new partner is listed with its client id, and its secret is shown once', async () => {
  const run = await partner('create', '--name', 'Acme Lettings', '--json')
  assertSucceeded(run)
  const { partnerId, clientId, clientSecret, ...rest } = run.json(IssuedCredentials)
  assert.deepEqual(rest, {})
  assert.match(clientId, /^sb_/)
  assert.match(clientSecret, /^sk_/)

  const listed = await partner('list', '--json')
  assertSucceeded(listed)
  const [{ createdAt, credentials, ...found } = assert.fail('none is listed')] = listed.json(Partners).partners
  assert.deepEqual(found, {
    partnerId,
    name: 'Acme Lettings',
    status: 'active',
    clientIds: [clientId],
    disabledAt: null,
    suspendedAt: null,
  })
  assert.deepEqual(
    credentials.map((each) => each.scopes.length),
    [10],
  )
  assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)
  assert.ok(!listed.stdout.includes(clientSecret))
})

test('create, without --json, prints readable JSON, and says on standard error to keep the secret', async () => {
  const run = await partner('create', '--name', '  Ünïcode Homes 学  ')
  assert.equal(run.code, 0)
  assert.match(run.stdout, /^\{\n {2}"partnerId"/)
  assert.deepEqual(Object.keys(run.json(IssuedCredentials)), ['partnerId', 'clientId', 'clientSecret'])
  assert.match(run.stderr, /Save the secret now/)

  const listed = await partner('list')
  assertSucceeded(listed)
  const [heading = '', ...rows] = listed.stdout.trimEnd().split('\n')
  const row = rows.find((line) => line.includes('Ünïcode Homes 学')) ?? ''
  assert.match(heading, /^ {2}NAME +PARTNER ID +CLIENT IDS +CREATED +STATUS$/)
  assert.equal(row.indexOf(run.json(IssuedCredentials).partnerId), heading.indexOf('PARTNER ID'))
})

test('rotating a secret that is set in the environment warns that the next start restores the one in the environment', async () => {
  const { clientId } = (await partner('create', '--name', 'Rotating', '--json')).json(IssuedCredentials)
  const set = { ...environment, SANDBOX_CLIENT_ID: clientId, SANDBOX_CLIENT_SECRET: 'set by the environment' }
  const asJson = await housebill(['partner', 'rotate-secret', clientId, '--json'], set)
  assertSucceeded(asJson)
  assert.match(asJson.json(RotatedSecret).notes?.join() ?? '', /SANDBOX_CLIENT_SECRET is set/)
  const forPeople = await housebill(['partner', 'rotate-secret', clientId], set)
  assert.equal(forPeople.code, 0)
  assert.match(forPeople.stderr, /SANDBOX_CLIENT_SECRET is set/)
  assert.notEqual(forPeople.json(RotatedSecret).clientSecret, asJson.json(RotatedSecret).clientSecret)
})

test('disabling a partner again keeps the original time, which the list shows', async () => {
  const { partnerId, clientId } = (await partner('create', '--name', 'Leaving', '--json')).json(IssuedCredentials)
  const run = await partner('disable', clientId, '--json')
  assertSucceeded(run)
  const { disabledAt, ...rest } = run.json(DisabledPartner)
  assert.deepEqual(rest, { partnerId, name: 'Leaving', status: 'disabled', contractsInForce: 0 })

  const again = await partner('disable', partnerId)
  assertSucceeded(again)
  const minute = disabledAt.slice(0, 16).replace('T', ' ')
  assert.equal(again.stdout, `Leaving (${partnerId}) was disabled on ${minute} UTC.\n`)
  const listed = (await partner('list', '--json')).json(Partners).partners
  const found = listed.find((each) => each.partnerId === partnerId)
  assert.deepEqual([found?.status, found?.disabledAt], ['disabled', disabledAt])
})

test('a suspended partner keeps its first time in the list until it is resumed; a disabled one cannot be suspended', async () => {
  const { partnerId, clientId } = (await partner('create', '--name', 'Paused', '--json')).json(IssuedCredentials)
  const statusOf = async () => {
    const found = (await partner('list', '--json')).json(Partners).partners.find((each) => each.partnerId === partnerId)
    return [found?.status, found?.suspendedAt]
  }
  const { suspendedAt, ...rest } = (await partner('suspend', clientId, '--json')).json(SuspendedPartner)
  assert.deepEqual(rest, { partnerId, name: 'Paused', status: 'suspended' })
  const again = await partner('suspend', partnerId)
  assertSucceeded(again)
  const minute = suspendedAt.slice(0, 16).replace('T', ' ')
  assert.match(again.stdout, new RegExp(`^Paused .* has been suspended since ${minute} UTC\\. Its calls are rejected`))
  assert.deepEqual(await statusOf(), ['suspended', suspendedAt])
  assert.ok((await partner('list')).stdout.includes(`suspended ${minute} UTC`))

  for (const json of [['--json'], []]) assertSucceeded(await partner('resume', clientId, ...json))
  assert.deepEqual(await statusOf(), ['active', null])
  assertSucceeded(await partner('disable', clientId))
  for (const command of ['suspend', 'resume']) {
    assertFailedAsJson(await partner(command, clientId, '--json'), 'partner_disabled')
    assertFailedAsJson(await partner(command, 'partner_none', '--json'), 'not_found')
  }
})

test('an unknown partner or client id is rejected', async () => {
  assertFailed(await partner('disable', 'partner_none'), /^No partner or client id partner_none exists/)
  assertFailed(await partner('rotate-secret', 'sb_none'), /^No client id sb_none exists/)
  assertFailedAsJson(await partner('disable', 'partner_none', '--json'), 'not_found')
  assertFailedAsJson(await partner('rotate-secret', 'sb_none', '--json'), 'not_found')
})

const outside = {
  ...environment,
  IDP_ISSUER: 'https://id.example/',
  IDP_TOKEN_URL: 'https://id.example/oauth/token',
  IDP_JWKS_URL: 'https://id.example/jwks',
}

test("a partner with an external identity provider is registered by the provider's client id, without a secret", async () => {
  const create = ['partner', 'create', '--name', 'Outside', '--client-id']
  const run = await housebill([...create, 'A1b2 c3', '--json'], outside)
  assertSucceeded(run)
  const { partnerId, ...rest } = run.json(Type.Omit(IssuedCredentials, ['clientSecret']))
  assert.deepEqual(rest, { clientId: 'A1b2 c3' })
  const listed = (await partner('list', '--json')).json(Partners).partners
  const found = listed.find((each) => each.partnerId === partnerId)
  assert.deepEqual([found?.name, found?.clientIds], ['Outside', ['A1b2 c3']])

  assertFailedAsJson(await housebill([...create, 'A1b2 c3', '--json'], outside), 'client_id_taken')
  assert.equal(
    (await partner('list', '--json')).json(Partners).partners.length,
    listed.length,
    'no partner was created',
  )
  const early = await housebill([...create, 'early'], environment)
  assert.equal(early.code, 0)
  assert.deepEqual(Object.keys(early.json(Type.Omit(IssuedCredentials, ['clientSecret']))), ['partnerId', 'clientId'])
  assert.match(early.stderr, /No external identity provider is configured/)
  assert.equal((await housebill([...create, 'ünusual'], outside)).code, 2)
})

test('with an external identity provider, the commands neither create nor rotate secrets', async () => {
  const made = await housebill(['partner', 'create', '--name', 'Inside'], outside)
  assertFailed(made, /external identity provider keeps the secrets.*--client-id/)
  const rotated = await housebill(['partner', 'rotate-secret', 'A1b2 c3'], outside)
  assertFailed(rotated, /Rotate it there/)
})

test('partner change sets the contact and the limit, and clears them again', async () => {
  const { partnerId } = (await partner('create', '--name', 'Changing', '--json')).json(IssuedCredentials)
  const Changed = Type.Object({
    name: Type.String(),
    contactEmail: Type.Union([Type.String(), Type.Null()]),
    requestsPerSecond: Type.Union([Type.Integer(), Type.Null()]),
  })
  const settings = ['--name', 'Changed', '--contact-email', 'it@changed.example', '--requests-per-second', '20']
  settings.push('--return-urls', 'https://changed.example/bills,http://localhost:3000')
  const changed = await partner('change', partnerId, ...settings, '--json')
  assertSucceeded(changed)
  const returnUrls = ['https://changed.example/bills', 'http://localhost:3000']
  const set = { contactEmail: 'it@changed.example', requestsPerSecond: 20, returnUrls }
  const expected = { partnerId, name: 'Changed', ...noSettings, ...set }
  assert.deepEqual(changed.json(Changed), expected)
  const none = ['--contact-email', 'none', '--requests-per-second', 'default', '--return-urls', 'none']
  const cleared = await partner('change', partnerId, ...none)
  assertSucceeded(cleared)
  const [whom, settled = ''] = cleared.stdout.trimEnd().split(': ')
  assert.equal(whom, `Changed (${partnerId})`)
  const parts = settled.replace(/\.$/, '').split(', ')
  assert.equal(parts.length, Object.keys(noSettings).length)
  for (const part of [
    'contact none',
    "the deployment's own limit",
    'contracts confirmed by default',
    'tenants sent back nowhere',
  ])
    assert.ok(parts.includes(part), settled)
  assert.equal((await partner('change', partnerId)).code, 2)
  assert.equal((await partner('change', partnerId, '--contact-email', 'nobody')).code, 2)
  assert.equal((await partner('change', partnerId, '--requests-per-second', '0')).code, 2)
  assert.equal((await partner('change', partnerId, '--return-urls', 'http://changed.example')).code, 2)
  assertFailedAsJson(await partner('change', 'partner_nobody', '--name', 'X', '--json'), 'not_found')
})

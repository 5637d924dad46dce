import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import Type, { type TSchema } from 'typebox'
import { sql } from '../../src/platform/db/sql.ts'
import { call, connectPartner } from '../support/client.ts'
import { withDatabase } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill } from './cli-fixture.ts'
import { AddedCredential, DisabledPartner, IssuedCredentials, Partners, RotatedSecret } from './command-output.ts'

const service = await startTestService()
after(() => service.stop())

const partner = (...args: string[]) => housebill(['partner', ...args], service.environment)

/** Runs the command with --json, asserts that it succeeded and returns its output. */
async function done<Shape extends TSchema>(shape: Shape, ...args: string[]) {
  const run = await partner(...args, '--json')
  assertSucceeded(run)
  return run.json(shape)
}

interface Secret {
  clientId: string
  clientSecret: string
}

const askForToken = ({ clientId, clientSecret }: Secret) =>
  call(service.baseUrl, 'POST', '/partner-api/Auth/token', { clientId, clientSecret })
const tokenStatus = async (credentials: Secret) => (await askForToken(credentials)).status

async function listed(clientId: string) {
  const { partners } = await done(Partners, 'list')
  return partners.flatMap((each) => each.credentials).find((each) => each.clientId === clientId)
}

test('a partner created with some scopes gets tokens with exactly those scopes, and the list shows them', async () => {
  const issued = await done(IssuedCredentials, 'create', '--name', 'Reader', '--scopes', 'customers:read,quotes:read')
  const connected = await connectPartner(service.baseUrl, issued)
  assert.equal((await connected.get('/Quotes')).status, 200)
  assert.equal((await connected.post('/Quotes', {})).status, 403)
  const { createdAt, ...rest } = (await listed(issued.clientId)) ?? assert.fail('not listed')
  assert.ok(Math.abs(Date.now() - Date.parse(createdAt)) < 60_000)
  assert.deepEqual(rest, {
    clientId: issued.clientId,
    name: null,
    scopes: ['quotes:read', 'customers:read'],
    expiresAt: null,
    previousSecretUntil: null,
    allowedFrom: null,
    lastTokenOn: new Date().toISOString().slice(0, 10),
  })
})

test("additional credentials see the partner's data, with the scopes they were given", async () => {
  const { clientId } = service.credentials
  const run = await partner('add-credential', clientId, '--scopes', 'quotes:read', '--name', 'Reports')
  assert.equal(run.code, 0)
  assert.match(run.stderr, /Save the secret now/)
  const added = run.json(AddedCredential)
  assert.deepEqual(Object.keys(added), ['partnerId', 'clientId', 'clientSecret', 'scopes', 'expiresAt'])
  assert.deepEqual([added.scopes, added.expiresAt], [['quotes:read'], null])
  const token = succeeded(await askForToken(added))
  assert.equal(token.scope, 'quotes:read')
  const table = await partner('list')
  assertSucceeded(table)
  assert.match(table.stdout, /CLIENT ID +NAME +PARTNER +CREATED +EXPIRES +LAST TOKEN +ALLOWED FROM +SCOPES/)
  assert.match(
    table.stdout,
    new RegExp(`${added.clientId} +Reports +Sandbox partner .* never +20\\d\\d-\\d\\d-\\d\\d +anywhere +quotes:read`),
  )
})

test('tokens issued for credentials with an expiry do not outlive the credentials', async () => {
  const { partnerId } = await done(IssuedCredentials, 'create', '--name', 'For a while')
  const added = await done(
    AddedCredential,
    'add-credential',
    partnerId,
    '--scopes',
    'quotes:read',
    '--expires-in',
    '2h',
  )
  const token = succeeded(await askForToken(added))
  assert.ok(token.expires_in > 7_100 && token.expires_in <= 7_201)
  assert.ok(Math.abs((decodeJwt(token.access_token).exp ?? 0) * 1000 - Date.parse(added.expiresAt ?? '')) <= 1_000)
  await withDatabase(service, (db) =>
    db.query(sql`update credentials set expires_at = now() where client_id = ${added.clientId}`),
  )
  assert.equal(await tokenStatus(added), 401)
})

test('the new secret and the previous one are both accepted until the overlap ends; earlier ones are not', async () => {
  const first = await done(IssuedCredentials, 'create', '--name', 'Rotating')
  const second = await done(RotatedSecret, 'rotate-secret', first.clientId, '--overlap', '24h')
  assert.ok(Math.abs(Date.parse(second.previousSecretUntil ?? '') - Date.now() - 86_400_000) < 60_000)
  assert.match(second.notes?.join(' ') ?? '', /also accepted until/)
  assert.deepEqual([await tokenStatus(first), await tokenStatus(second)], [200, 200])

  const third = await done(RotatedSecret, 'rotate-secret', first.clientId, '--overlap', '1h')
  assert.deepEqual([await tokenStatus(first), await tokenStatus(second), await tokenStatus(third)], [401, 200, 200])
  await withDatabase(service, (db) =>
    db.query(sql`update credentials set previous_secret_until = now() where client_id = ${first.clientId}`),
  )
  assert.deepEqual([await tokenStatus(second), await tokenStatus(third)], [401, 200])
})

test('a rotation without overlap ends all earlier secrets at once; tokens already issued stay valid', async () => {
  const first = await done(IssuedCredentials, 'create', '--name', 'Leaked')
  const connected = await connectPartner(service.baseUrl, first)
  await done(RotatedSecret, 'rotate-secret', first.clientId, '--overlap', '1h')
  const last = await done(RotatedSecret, 'rotate-secret', first.clientId, '--overlap', '0')
  assert.equal(last.previousSecretUntil, undefined)
  assert.deepEqual([await tokenStatus(first), await tokenStatus(last)], [401, 200])
  assert.equal((await connected.get('/Quotes')).status, 200)
})

test('a rotation with --end-tokens ends the tokens issued until then within seconds; new tokens work at once', async () => {
  const first = await done(IssuedCredentials, 'create', '--name', 'Token leaked')
  const before = await connectPartner(service.baseUrl, first)
  assert.equal((await before.get('/Quotes')).status, 200)
  const rotated = await done(RotatedSecret, 'rotate-secret', first.clientId, '--end-tokens')
  assert.match(rotated.notes?.join(' ') ?? '', /are rejected within two seconds/)
  const issued = await connectPartner(service.baseUrl, rotated)
  await waitFor('the earlier token is rejected', async () => (await before.get('/Quotes')).status === 401)
  assert.equal((await issued.get('/Quotes')).status, 200)
  assert.equal(decodeJwt(issued.token).token_generation, 1)
  await done(RotatedSecret, 'rotate-secret', first.clientId, '--end-tokens')
  await waitFor('the second token is rejected', async () => (await issued.get('/Quotes')).status === 401)
  const both = await partner('rotate-secret', first.clientId, '--end-tokens', '--overlap', '1h')
  assert.equal(both.code, 2, 'with an overlap, the old secret would get new tokens')
})

test('credentials can be limited to addresses when they are created and later, and the list shows them', async () => {
  const near = await done(IssuedCredentials, 'create', '--name', 'Near', '--allow-from', '127.0.0.1,2001:db8::/48')
  const far = await done(
    AddedCredential,
    'add-credential',
    near.partnerId,
    '--scopes',
    'quotes:read',
    '--allow-from',
    '192.0.2.0/24',
  )
  assert.deepEqual([await tokenStatus(near), await tokenStatus(far)], [200, 401])
  assert.deepEqual((await listed(far.clientId))?.allowedFrom, ['192.0.2.0/24'])
  const calls = await connectPartner(service.baseUrl, near)
  assert.equal((await calls.get('/Quotes')).status, 200)
  assert.deepEqual(await done(Type.Unknown(), 'allow-from', near.clientId, '192.0.2.1'), {
    clientId: near.clientId,
    allowedFrom: ['192.0.2.1'],
  })
  assert.equal(await tokenStatus(near), 401)
  await waitFor('calls are rejected', async () => (await calls.get('/Quotes')).status === 403)
  await done(Type.Unknown(), 'allow-from', far.clientId, 'any')
  assert.equal(await tokenStatus(far), 200)
  assertFailedAsJson(await partner('allow-from', 'sb_none', 'any', '--json'), 'not_found')
  assert.equal((await partner('allow-from', far.clientId, 'everywhere')).code, 2)
})

test('after credentials are removed, their secret stops working at once and their tokens within seconds; other credentials keep working', async () => {
  const kept = await done(IssuedCredentials, 'create', '--name', 'Two programs')
  const removed = await done(AddedCredential, 'add-credential', kept.partnerId, '--scopes', 'quotes:read')
  const [keptCalls, removedCalls] = [
    await connectPartner(service.baseUrl, kept),
    await connectPartner(service.baseUrl, removed),
  ]
  assert.equal((await removedCalls.get('/Quotes')).status, 200)
  assert.deepEqual(await done(Type.Unknown(), 'remove-credential', removed.clientId), {
    partnerId: kept.partnerId,
    clientId: removed.clientId,
    status: 'removed',
  })
  assert.equal(await tokenStatus(removed), 401)
  await waitFor(
    'tokens of the removed credentials are rejected',
    async () => (await removedCalls.get('/Quotes')).status === 401,
  )
  assert.equal((await keptCalls.get('/Quotes')).status, 200)
  assert.equal(await listed(removed.clientId), undefined)
})

test('an invalid change to credentials is rejected with the reason', async () => {
  const scopes = ['--scopes', 'quotes:read']
  assertFailedAsJson(await partner('add-credential', 'partner_none', ...scopes, '--json'), 'not_found')
  assertFailed(await partner('remove-credential', 'sb_none'), /^No client id sb_none exists/)
  const misspelt = await partner('add-credential', 'partner_none', '--scopes', 'quotes:delete')
  assert.equal(misspelt.code, 2)
  assert.match(misspelt.stderr, /Unknown scope: "quotes:delete"\. Choose from: addresses:read, /)
  assert.equal((await partner('rotate-secret', 'sb_none', '--overlap', '31d')).code, 2)

  const gone = await done(IssuedCredentials, 'create', '--name', 'Gone')
  await done(DisabledPartner, 'disable', gone.partnerId)
  assertFailedAsJson(await partner('add-credential', gone.clientId, ...scopes, '--json'), 'partner_disabled')
})

test('credentials of an external identity provider have scopes and no secret', async () => {
  const outside = {
    ...service.environment,
    SANDBOX_CLIENT_SECRET: '',
    IDP_ISSUER: 'https://id.example/',
    IDP_TOKEN_URL: 'https://id.example/oauth/token',
    IDP_JWKS_URL: 'https://id.example/jwks',
  }
  const { partnerId } = await done(IssuedCredentials, 'create', '--name', 'Outside')
  const add = ['partner', 'add-credential', partnerId, '--scopes', 'quotes:read', '--json']
  assertFailedAsJson(await housebill(add, outside), 'client_id_required')
  const run = await housebill([...add, '--client-id', 'known there'], outside)
  assertSucceeded(run)
  assert.deepEqual(run.json(), { partnerId, clientId: 'known there', scopes: ['quotes:read'], expiresAt: null })
  assertFailedAsJson(await housebill([...add, '--client-id', 'known there'], outside), 'client_id_taken')
})

test('removing or rotating a secret that is set in the environment warns that the next start restores the one in the environment', async () => {
  const { clientId } = await done(IssuedCredentials, 'create', '--name', 'Set')
  const run = await housebill(['partner', 'remove-credential', clientId], {
    ...service.environment,
    SANDBOX_CLIENT_ID: clientId,
  })
  assertSucceeded(run)
  assert.match(run.stdout, /SANDBOX_CLIENT_ID is set, so the next start/)
})

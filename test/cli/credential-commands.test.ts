import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import Type, { type TSchema } from 'typebox'
import { sql } from '../../src/db/sql.ts'
import { call, connectPartner } from '../support/client.ts'
import { withDatabase } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { assertDone, assertRefused, assertRefusedAsJson, housebill } from './cli-fixture.ts'
import { AddedCredential, Disabled, Issued, Partners, Rotated } from './printed.ts'

const service = await startTestService()
after(() => service.stop())

const partner = (...args: string[]) => housebill(['partner', ...args], service.environment)

/** With --json, where it is done. */
async function done<Shape extends TSchema>(shape: Shape, ...args: string[]) {
  const run = await partner(...args, '--json')
  assertDone(run)
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

test('a partner made with some scopes gets tokens with these and no others, and the list says so', async () => {
  const issued = await done(Issued, 'create', '--name', 'Reader', '--scopes', 'customers:read,quotes:read')
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
    lastTokenOn: new Date().toISOString().slice(0, 10),
  })
})

test('further credentials of a partner see its data with the scopes they were given', async () => {
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
  assertDone(table)
  assert.match(table.stdout, /CLIENT ID +NAME +PARTNER +CREATED +EXPIRES +LAST TOKEN +SCOPES/)
  assert.match(
    table.stdout,
    new RegExp(`${added.clientId} +Reports +Sandbox partner .* never +20\\d\\d-\\d\\d-\\d\\d +quotes:read`),
  )
})

test('credentials with an end give tokens that end with them', async () => {
  const { partnerId } = await done(Issued, 'create', '--name', 'For a while')
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

test('a rotated secret and the one before are both taken until the overlap ends; the one before that is not', async () => {
  const first = await done(Issued, 'create', '--name', 'Rotating')
  const second = await done(Rotated, 'rotate-secret', first.clientId, '--overlap', '24h')
  assert.ok(Math.abs(Date.parse(second.previousSecretUntil ?? '') - Date.now() - 86_400_000) < 60_000)
  assert.match(second.notes?.join(' ') ?? '', /also accepted until/)
  assert.deepEqual([await tokenStatus(first), await tokenStatus(second)], [200, 200])

  const third = await done(Rotated, 'rotate-secret', first.clientId, '--overlap', '1h')
  assert.deepEqual([await tokenStatus(first), await tokenStatus(second), await tokenStatus(third)], [401, 200, 200])
  await withDatabase(service, (db) =>
    db.query(sql`update credentials set previous_secret_until = now() where client_id = ${first.clientId}`),
  )
  assert.deepEqual([await tokenStatus(second), await tokenStatus(third)], [401, 200])
})

test('a rotation without overlap ends every secret before at once; tokens issued with it go on', async () => {
  const first = await done(Issued, 'create', '--name', 'Leaked')
  const connected = await connectPartner(service.baseUrl, first)
  await done(Rotated, 'rotate-secret', first.clientId, '--overlap', '1h')
  const last = await done(Rotated, 'rotate-secret', first.clientId, '--overlap', '0')
  assert.equal(last.previousSecretUntil, undefined)
  assert.deepEqual([await tokenStatus(first), await tokenStatus(last)], [401, 200])
  assert.equal((await connected.get('/Quotes')).status, 200)
})

test('removed credentials lose their secret at once and their tokens within seconds; others of the partner stay', async () => {
  const kept = await done(Issued, 'create', '--name', 'Two programs')
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
  await waitFor('its tokens are refused', async () => (await removedCalls.get('/Quotes')).status === 401)
  assert.equal((await keptCalls.get('/Quotes')).status, 200)
  assert.equal(await listed(removed.clientId), undefined)
})

test('what cannot be done is refused with its reason', async () => {
  const scopes = ['--scopes', 'quotes:read']
  assertRefusedAsJson(await partner('add-credential', 'partner_none', ...scopes, '--json'), 'not_found')
  assertRefused(await partner('remove-credential', 'sb_none'), /^No client id sb_none exists/)
  const misspelt = await partner('add-credential', 'partner_none', '--scopes', 'quotes:delete')
  assert.equal(misspelt.code, 2)
  assert.match(misspelt.stderr, /Unknown scope: "quotes:delete"\. Choose from: addresses:read, /)
  assert.equal((await partner('rotate-secret', 'sb_none', '--overlap', '31d')).code, 2)

  const gone = await done(Issued, 'create', '--name', 'Gone')
  await done(Disabled, 'disable', gone.partnerId)
  assertRefusedAsJson(await partner('add-credential', gone.clientId, ...scopes, '--json'), 'partner_disabled')
})

test('credentials that an external identity provider knows carry scopes and no secret', async () => {
  const outside = {
    ...service.environment,
    SANDBOX_CLIENT_SECRET: '',
    IDP_ISSUER: 'https://id.example/',
    IDP_TOKEN_URL: 'https://id.example/oauth/token',
    IDP_JWKS_URL: 'https://id.example/jwks',
  }
  const { partnerId } = await done(Issued, 'create', '--name', 'Outside')
  const add = ['partner', 'add-credential', partnerId, '--scopes', 'quotes:read', '--json']
  assertRefusedAsJson(await housebill(add, outside), 'client_id_required')
  const run = await housebill([...add, '--client-id', 'known there'], outside)
  assertDone(run)
  assert.deepEqual(run.json(), { partnerId, clientId: 'known there', scopes: ['quotes:read'], expiresAt: null })
  assertRefusedAsJson(await housebill([...add, '--client-id', 'known there'], outside), 'client_id_taken')
})

test('removing or rotating what the environment sets says that the next start brings it back', async () => {
  const { clientId } = await done(Issued, 'create', '--name', 'Set')
  const run = await housebill(['partner', 'remove-credential', clientId], {
    ...service.environment,
    SANDBOX_CLIENT_ID: clientId,
  })
  assertDone(run)
  assert.match(run.stdout, /SANDBOX_CLIENT_ID is set, so the next start/)
})

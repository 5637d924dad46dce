import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import Type from 'typebox'
import { assertFailed, assertFailedAsJson, assertSucceeded, housebill, prepareEnvironment } from './cli-fixture.ts'
import { IssuedCredentials } from './command-output.ts'

const { environment, drop } = await prepareEnvironment()
after(drop)

const partner = (...args: string[]) => housebill(['partner', ...args], environment)

test('create prints the secret once, as JSON for programs or people, and says on standard error to keep it', async () => {
  const run = await partner('create', '--name', 'Acme Lettings', '--json')
  assertSucceeded(run)
  const { clientId, clientSecret, ...rest } = run.json(IssuedCredentials)
  assert.deepEqual(Object.keys(rest), ['partnerId'])
  assert.match(`${clientId} ${clientSecret}`, /^sb_\S+ sk_/)
  const people = await partner('create', '--name', '  Ünïcode Homes 学  ')
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

test("a partner with an external identity provider is registered by the provider's client id, without a secret", async () => {
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

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JWK } from 'jose'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { newSigningKey } from '../support/identity-provider.ts'
import { waitFor } from '../support/wait-for.ts'
import { audience, startProviderFixture } from './identity-provider-fixture.ts'

const { provider, key, clock, adapter, verifier, token, keyFetches, keyFetchesEnded } = await startProviderFixture()
const foreign = { rejected: 'it was not issued for this service or has been altered' }

async function assertAccepted(text: string): Promise<void> {
  const outcome = await verifier().verify(text)
  assert.ok('partnerId' in outcome, JSON.stringify(outcome))
}

async function assertUnavailable(text: string): Promise<void> {
  const outcome = await verifier()
    .verify(text)
    .catch((error: unknown) => error)
  assert.ok(outcome instanceof DomainError && outcome.code === 'service_unavailable', JSON.stringify(outcome))
}

function publish(body: unknown): void {
  provider.respondWith((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(JSON.stringify(body)),
  )
}

function publicHalf({ kty, crv, x, y, kid, alg, use }: JWK): object {
  return { kty, crv, x, y, kid, alg, use }
}

/**
 * Waits until this many fetches of the keys have ended. A fetch can run in the background, so its caller does not know
 * when it ends.
 */
async function untilKeyFetches(count: number): Promise<void> {
  await waitFor(`${count} key fetches have ended`, keyFetchesEnded, (ended) => ended >= count)
  assert.equal(keyFetches(), count)
}

test('keys are fetched once, even if many tokens arrive together, and stay cached while fresh', async () => {
  const tokens = await Promise.all(Array.from({ length: 40 }, () => token()))
  await Promise.all(tokens.map(assertAccepted))
  clock.pass(500)
  await assertAccepted(await token())
  assert.equal(keyFetches(), 1)
})

test('a new key is found by its id, and invented ids cause at most one fetch every 30 seconds; until then they are service_unavailable', async () => {
  await assertAccepted(await token())
  const second = await newSigningKey('second')
  provider.useKeys([second, key])
  try {
    clock.pass(31)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => token({}, {}, second)))
    await Promise.all(tokens.map(assertAccepted))
    assert.equal(keyFetches(), 2, 'one fetch serves all tokens')
    for (let index = 0; index < 20; index += 1) {
      await assertUnavailable(await token({}, { kid: `invented ${index}` }))
    }
    assert.equal(keyFetches(), 2)
    clock.pass(31)
    assert.deepEqual(await verifier().verify(await token({}, { kid: 'invented' })), foreign)
    assert.equal(keyFetches(), 3)
  } finally {
    provider.useKeys([key])
  }
})

test('a new key is fetched at once if a token that the provider has just issued uses it, but only once per key id', async () => {
  await assertAccepted(await token())
  const second = await newSigningKey('second')
  provider.useKeys([second])
  try {
    const answer = await adapter().requestToken({ clientId: 'acme', clientSecret: 'the secret of acme', audience })
    assert.ok('accessToken' in answer)
    await assertAccepted(answer.accessToken)
    assert.equal(keyFetches(), 2)
  } finally {
    provider.useKeys([key])
  }
  const unpublished = await token({}, { kid: 'never published' })
  provider.respondWith((request, response) => {
    const body =
      request.url === '/jwks' ? { keys: [publicHalf(key)] } : { access_token: unpublished, token_type: 'Bearer' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  for (let time = 0; time < 5; time += 1)
    await adapter().requestToken({ clientId: 'acme', clientSecret: 'the secret of acme', audience })
  await untilKeyFetches(3)
})

test('a key that is no longer published is accepted for a day, so that a rotation invalidates no token early', async () => {
  await assertAccepted(await token())
  const second = await newSigningKey('second')
  provider.useKeys([second])
  try {
    clock.pass(31)
    await assertAccepted(await token({}, {}, second))
    await assertAccepted(await token())
    clock.pass(23 * 3_600)
    await assertAccepted(await token())
    clock.pass(3_700)
    assert.deepEqual(await verifier().verify(await token()), foreign)
    await assertAccepted(await token({}, {}, second))
  } finally {
    provider.useKeys([key])
  }
})

test('the signature decides which key is used if several keys share an id or the token has no key id', async () => {
  await assertAccepted(await token())
  const [namesake, other] = [await newSigningKey('first'), await newSigningKey('other')]
  provider.useKeys([namesake, other])
  try {
    clock.pass(601)
    await assertAccepted(await token())
    await untilKeyFetches(2)
    for (const each of [namesake, key]) await assertAccepted(await token({}, {}, each))
    for (const each of [namesake, other, key]) await assertAccepted(await token({}, { kid: undefined }, each))
    const stranger = await newSigningKey('first')
    assert.deepEqual(await verifier().verify(await token({}, { kid: undefined }, stranger)), foreign)
  } finally {
    provider.useKeys([key])
  }
})

test('a new key that reuses a known id is found by its signature; forged tokens cause at most one fetch every 30 seconds', async () => {
  await assertAccepted(await token())
  const [namesake, stranger] = [await newSigningKey('first'), await newSigningKey('first')]
  provider.useKeys([namesake])
  try {
    clock.pass(31)
    await assertAccepted(await token({}, { kid: undefined }, namesake))
    assert.equal(keyFetches(), 2)
    for (const each of [namesake, key]) await assertAccepted(await token({}, {}, each))
    for (const kid of [undefined, 'first', undefined]) {
      assert.deepEqual(await verifier().verify(await token({}, { kid }, stranger)), foreign)
    }
    assert.equal(keyFetches(), 2)
    clock.pass(31)
    const forged = await Promise.all(Array.from({ length: 20 }, () => token({}, {}, stranger)))
    for (const each of await Promise.all(forged.map((text) => verifier().verify(text)))) assert.deepEqual(each, foreign)
    assert.equal(keyFetches(), 3, 'one fetch serves all tokens')
    provider.useKeys([stranger])
    clock.pass(31)
    await assertAccepted(await token({}, {}, stranger))
  } finally {
    provider.useKeys([key])
  }
})

test('a token signed with an unknown key is rejected with service_unavailable while the provider is down', async () => {
  await assertAccepted(await token())
  const stranger = await newSigningKey('second')
  provider.respondWith((_request, response) => response.writeHead(500).end())
  clock.pass(31)
  await assertUnavailable(await token({}, { kid: undefined }, stranger))
  await assertAccepted(await token({}, { kid: undefined }))
})

test('while the provider is down, cached keys of any age still verify tokens, and are fetched again in the background', async () => {
  await assertAccepted(await token())
  provider.respondWith((_request, response) => response.writeHead(500).end())
  clock.pass(3 * 86_400)
  for (let time = 0; time < 10; time += 1) await assertAccepted(await token())
  await untilKeyFetches(2)
  await assertUnavailable(await token({}, { kid: 'possibly a new key' }))
  assert.equal(keyFetches(), 2, 'the keys are not fetched again just after a failure')
  clock.pass(6)
  await assertAccepted(await token())
  await untilKeyFetches(3)

  provider.respondWith(undefined)
  clock.pass(6)
  await assertAccepted(await token())
  await untilKeyFetches(4)
  await assertUnavailable(await token({}, { kid: 'possibly newer than the last fetch' }))
  assert.equal(keyFetches(), 4)
})

test('if the first key fetch fails because the provider is down, the next fetch is made after five seconds, not before', async () => {
  provider.respondWith((_request, response) => response.writeHead(503).end())
  for (let time = 0; time < 10; time += 1) await assertUnavailable(await token())
  assert.equal(keyFetches(), 1)
  provider.respondWith(undefined)
  clock.pass(6)
  await assertAccepted(await token())
  assert.equal(keyFetches(), 2)
})

test('a published key set without a usable key never replaces a usable key set', async () => {
  await assertAccepted(await token())
  const nonsense = [
    { keys: [] },
    { keys: 'none' },
    [],
    'keys',
    { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'first', alg: 'HS256' }] },
    { keys: [{}] },
  ]
  for (const [index, body] of nonsense.entries()) {
    publish(body)
    clock.pass(601)
    await assertAccepted(await token())
    await untilKeyFetches(2 + index)
    await assertUnavailable(await token({}, { kid: 'another' }))
  }
})

test('a published key that cannot be parsed does not affect the others, and the private part of a key is ignored', async () => {
  publish({ keys: [{ kty: 'unheard of' }, { kty: 'EC', crv: 'P-256' }, key] })
  await assertAccepted(await token())
  assert.equal(keyFetches(), 1)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JWK } from 'jose'
import { DomainError } from '../../src/kernel/errors.ts'
import { newKey } from '../support/identity-provider.ts'
import { waitFor } from '../support/wait-for.ts'
import { audience, providerFixture } from './identity-provider-fixture.ts'

const { provider, key, clock, adapter, verifier, token, keyReadings, keyReadingsEnded } = await providerFixture()
const foreign = { refused: 'it was not issued for this service or has been altered' }

async function assertTaken(text: string): Promise<void> {
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
  provider.answerWith((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/jwk-set+json' }).end(JSON.stringify(body)),
  )
}

function publicHalf({ kty, crv, x, y, kid, alg, use }: JWK): object {
  return { kty, crv, x, y, kid, alg, use }
}

/** Readings in the background have no end a caller could see. */
async function untilReadings(count: number): Promise<void> {
  await waitFor(`${count} readings have ended`, keyReadingsEnded, (ended) => ended >= count)
  assert.equal(keyReadings(), count)
}

test('however many tokens come at once, the keys are read once, and then not again while they are fresh', async () => {
  const tokens = await Promise.all(Array.from({ length: 40 }, () => token()))
  await Promise.all(tokens.map(assertTaken))
  clock.pass(500)
  await assertTaken(await token())
  assert.equal(keyReadings(), 1)
})

test('a new key is found by its name; invented names make us ask at most every thirty seconds', async () => {
  await assertTaken(await token())
  const second = await newKey('second')
  provider.useKeys([second, key])
  try {
    clock.pass(31)
    const tokens = await Promise.all(Array.from({ length: 20 }, () => token({}, {}, second)))
    await Promise.all(tokens.map(assertTaken))
    assert.equal(keyReadings(), 2, 'one reading for all')
    for (let index = 0; index < 20; index += 1) {
      assert.deepEqual(await verifier().verify(await token({}, { kid: `invented ${index}` })), foreign)
    }
    assert.equal(keyReadings(), 2)
    clock.pass(31)
    assert.deepEqual(await verifier().verify(await token({}, { kid: 'invented' })), foreign)
    assert.equal(keyReadings(), 3)
  } finally {
    provider.useKeys([key])
  }
})

test('a new key that the provider itself has just used is read at once, once for each name', async () => {
  await assertTaken(await token())
  const second = await newKey('second')
  provider.useKeys([second])
  try {
    const answer = await adapter().requestToken({ clientId: 'acme', clientSecret: 'the secret of acme', audience })
    assert.ok('accessToken' in answer)
    await assertTaken(answer.accessToken)
    assert.equal(keyReadings(), 2)
  } finally {
    provider.useKeys([key])
  }
  const unpublished = await token({}, { kid: 'never published' })
  provider.answerWith((request, response) => {
    const body =
      request.url === '/jwks' ? { keys: [publicHalf(key)] } : { access_token: unpublished, token_type: 'Bearer' }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  for (let time = 0; time < 5; time += 1)
    await adapter().requestToken({ clientId: 'acme', clientSecret: 'the secret of acme', audience })
  await untilReadings(3)
})

test('a key that is published no longer is taken for a day, so that a rotation ends no token before its time', async () => {
  await assertTaken(await token())
  const second = await newKey('second')
  provider.useKeys([second])
  try {
    clock.pass(31)
    await assertTaken(await token({}, {}, second))
    await assertTaken(await token())
    clock.pass(23 * 3_600)
    await assertTaken(await token())
    clock.pass(3_700)
    assert.deepEqual(await verifier().verify(await token()), foreign)
    await assertTaken(await token({}, {}, second))
  } finally {
    provider.useKeys([key])
  }
})

test('a key with the name of an old one, and tokens that name no key, are told apart by their signatures', async () => {
  await assertTaken(await token())
  const [namesake, other] = [await newKey('first'), await newKey('other')]
  provider.useKeys([namesake, other])
  try {
    clock.pass(601)
    await assertTaken(await token())
    await untilReadings(2)
    for (const each of [namesake, key]) await assertTaken(await token({}, {}, each))
    for (const each of [namesake, other, key]) await assertTaken(await token({}, { kid: undefined }, each))
    const stranger = await newKey('first')
    assert.deepEqual(await verifier().verify(await token({}, { kid: undefined }, stranger)), foreign)
  } finally {
    provider.useKeys([key])
  }
})

test('a new key that no name tells of is found by its signature; forged ones make us ask at most every thirty seconds', async () => {
  await assertTaken(await token())
  const [namesake, stranger] = [await newKey('first'), await newKey('first')]
  provider.useKeys([namesake])
  try {
    clock.pass(31)
    await assertTaken(await token({}, { kid: undefined }, namesake))
    assert.equal(keyReadings(), 2)
    for (const each of [namesake, key]) await assertTaken(await token({}, {}, each))
    for (const kid of [undefined, 'first', undefined]) {
      assert.deepEqual(await verifier().verify(await token({}, { kid }, stranger)), foreign)
    }
    assert.equal(keyReadings(), 2)
    clock.pass(31)
    const forged = await Promise.all(Array.from({ length: 20 }, () => token({}, {}, stranger)))
    for (const each of await Promise.all(forged.map((text) => verifier().verify(text)))) assert.deepEqual(each, foreign)
    assert.equal(keyReadings(), 3, 'one reading for all')
    provider.useKeys([stranger])
    clock.pass(31)
    await assertTaken(await token({}, {}, stranger))
  } finally {
    provider.useKeys([key])
  }
})

test('while the provider is down, a token that no known key has signed is neither taken nor refused', async () => {
  await assertTaken(await token())
  const stranger = await newKey('second')
  provider.answerWith((_request, response) => response.writeHead(500).end())
  clock.pass(31)
  await assertUnavailable(await token({}, { kid: undefined }, stranger))
  await assertTaken(await token({}, { kid: undefined }))
})

test('while the provider is down the keys it had go on verifying, however old, and it is asked again in the background', async () => {
  await assertTaken(await token())
  provider.answerWith((_request, response) => response.writeHead(500).end())
  clock.pass(3 * 86_400)
  for (let time = 0; time < 10; time += 1) await assertTaken(await token())
  await untilReadings(2)
  await assertUnavailable(await token({}, { kid: 'perhaps a new one' }))
  assert.equal(keyReadings(), 2, 'the failure is a moment ago')
  clock.pass(6)
  await assertTaken(await token())
  await untilReadings(3)

  provider.answerWith(undefined)
  clock.pass(6)
  await assertTaken(await token())
  await untilReadings(4)
  assert.deepEqual(await verifier().verify(await token({}, { kid: 'not one after all' })), foreign)
  assert.equal(keyReadings(), 4)
})

test('keys that were never read, when the provider is down, are asked for again after five seconds, not before', async () => {
  provider.answerWith((_request, response) => response.writeHead(503).end())
  for (let time = 0; time < 10; time += 1) await assertUnavailable(await token())
  assert.equal(keyReadings(), 1)
  provider.answerWith(undefined)
  clock.pass(6)
  await assertTaken(await token())
  assert.equal(keyReadings(), 2)
})

test('a set that holds no key tokens could be verified with is nonsense, and never replaces one that does', async () => {
  await assertTaken(await token())
  const good = publicHalf(key)
  const nonsense = [
    { keys: [] },
    { keys: 'none' },
    [],
    'keys',
    { keys: [{ kty: 'oct', k: 'c2VjcmV0', kid: 'first', alg: 'HS256' }] },
    { keys: [{ ...good, use: 'enc' }] },
    { keys: [{ ...good, key_ops: ['encrypt'] }] },
    { keys: [{ ...good, alg: 'ES512' }] },
    { keys: [{ ...good, y: 'AAAA' }] },
    { keys: [{}] },
  ]
  for (const [index, body] of nonsense.entries()) {
    publish(body)
    clock.pass(601)
    await assertTaken(await token())
    await untilReadings(2 + index)
    await assertUnavailable(await token({}, { kid: 'another' }))
  }
})

test('one key that cannot be read spoils none of the others, and a private half is not used', async () => {
  publish({ keys: [{ kty: 'unheard of' }, { kty: 'EC', crv: 'P-256' }, key] })
  await assertTaken(await token())
  assert.equal(keyReadings(), 1)
})

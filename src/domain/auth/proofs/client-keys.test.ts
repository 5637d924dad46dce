import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportJWK, generateKeyPair } from 'jose'
import { readClientKeys } from './client-keys.ts'

const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
const jwk = await exportJWK(publicKey)

test('a JWK set and a single JWK are both read as a set', () => {
  assert.deepEqual(readClientKeys(JSON.stringify(jwk)), { keys: [jwk] })
  assert.deepEqual(readClientKeys(JSON.stringify({ keys: [jwk, jwk] })), { keys: [jwk, jwk] })
})

test('a file with a private, shared, weak or unknown key is rejected with the reason', async () => {
  const invalid = (value: unknown) => {
    const read = readClientKeys(typeof value === 'string' ? value : JSON.stringify(value))
    return 'invalid' in read ? read.invalid : assert.fail('accepted')
  }
  assert.match(invalid('-----BEGIN PUBLIC KEY-----'), /must contain JSON/)
  assert.match(invalid({ keys: [] }), /1 to 10 keys/)
  assert.match(invalid({ keys: Array(11).fill(jwk) }), /1 to 10 keys/)
  assert.match(invalid([jwk]), /a JWK set or one JWK/)
  assert.match(invalid(null), /a JWK set or one JWK/)
  assert.match(invalid(await exportJWK(privateKey)), /contains a private key/)
  assert.match(invalid({ kty: 'oct', k: 'c2VjcmV0' }), /contains a private key/)
  for (const odd of [{}, { kty: 'EC' }, { ...jwk, use: 'enc' }]) assert.match(invalid(odd), /must be for signatures/)
})

import assert from 'node:assert/strict'
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { test } from 'node:test'
import { isSameKey, mayHaveSigned, readVerificationKey, type VerificationKey } from './verification-key.ts'

const publicJwk = ({ publicKey }: { publicKey: KeyObject }) => publicKey.export({ format: 'jwk' })
const rsa = (modulusLength: number) => publicJwk(generateKeyPairSync('rsa', { modulusLength }))
const ec = (namedCurve: string) => publicJwk(generateKeyPairSync('ec', { namedCurve }))

function read(jwk: object): VerificationKey {
  const found = readVerificationKey(jwk)
  assert.ok(found)
  return found
}

test('a published key is used only for the algorithm it names, or for every algorithm of its type if it names none', () => {
  const ed = publicJwk(generateKeyPairSync('ed25519'))
  const longRsa = rsa(2_048)
  assert.deepEqual(read(ec('P-256')).algorithms, ['ES256'])
  assert.deepEqual(read(longRsa).algorithms, ['RS256', 'PS256'])
  assert.deepEqual(read({ ...longRsa, alg: 'PS256' }).algorithms, ['PS256'])
  for (const alg of [undefined, 'EdDSA', 'Ed25519']) {
    assert.deepEqual(read({ ...ed, ...(alg === undefined ? {} : { alg }) }).algorithms, ['EdDSA', 'Ed25519'])
  }
})

test('a published key with an unsupported type, curve, size or use is ignored', () => {
  const good = ec('P-256')
  for (const jwk of [
    rsa(1_024),
    ec('P-384'),
    publicJwk(generateKeyPairSync('x25519')),
    publicJwk(generateKeyPairSync('ed448')),
    { kty: 'oct', k: 'c2VjcmV0' },
    { ...good, alg: 'HS256' },
    { ...good, alg: 'none' },
    { ...good, alg: 7 },
    { ...good, use: 'enc' },
    { ...good, key_ops: ['wrapKey'] },
    { ...good, x: 'AAAA' },
    {},
    [],
  ])
    assert.equal(readVerificationKey(jwk), undefined, JSON.stringify(jwk))
})

test('only the public half is read from a private key published by mistake', () => {
  const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  assert.equal(read(pair.privateKey.export({ format: 'jwk' })).key.type, 'public')
})

test('a token matches only the key it names, or every key for its algorithm if it names none', () => {
  const key = read({ ...ec('P-256'), kid: 'one' })
  assert.ok(mayHaveSigned(key, { algorithm: 'ES256', keyId: 'one' }))
  assert.ok(mayHaveSigned(key, { algorithm: 'ES256', keyId: undefined }))
  assert.ok(!mayHaveSigned(key, { algorithm: 'ES256', keyId: 'two' }))
  assert.ok(!mayHaveSigned(key, { algorithm: 'RS256', keyId: 'one' }))
})

test('two entries are the same key only if both their ids and their keys are equal', () => {
  const [one, other] = [ec('P-256'), ec('P-256')]
  assert.ok(isSameKey(read({ ...one, kid: 'a' }), read({ ...one, kid: 'a', use: 'sig' })))
  assert.ok(!isSameKey(read({ ...one, kid: 'a' }), read({ ...one, kid: 'b' })))
  assert.ok(!isSameKey(read({ ...one, kid: 'a' }), read({ ...other, kid: 'a' })))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashClientSecret, matchesClientSecret, newClientSecret } from './client-secret.ts'

test('a new client secret matches only its own hash, which does not contain it', () => {
  const [secret, other] = [newClientSecret(), newClientSecret()]
  assert.match(secret, /^sk_[\w-]{43}$/)
  assert.notEqual(secret, other)
  const stored = hashClientSecret(secret)
  assert.match(stored, /^sha256\$[\w-]{43}$/)
  assert.ok(!stored.includes(secret.slice(3)))
  assert.equal(matchesClientSecret(secret, stored), true)
  assert.equal(matchesClientSecret(other, stored), false)
})

test('the hash is SHA-256 (FIPS 180-4, the example "abc")', () => {
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  assert.equal(hashClientSecret('abc'), `sha256$${Buffer.from(digest, 'hex').toString('base64url')}`)
})

test('while a secret is rotated, the new secret and the old one match; others do not', () => {
  const [newer, older] = [newClientSecret(), newClientSecret()]
  const isEither = (secret: string) => matchesClientSecret(secret, hashClientSecret(newer), hashClientSecret(older))
  assert.deepEqual([older, newer, newClientSecret()].map(isEither), [true, true, false])
})

test('without a stored hash, no secret matches', () => {
  assert.equal(matchesClientSecret('anything'), false)
})

test('checking a secret against a stored text that is not a hash throws an error instead of rejecting the secret', () => {
  for (const stored of ['', 'plain', 'sha256', 'sha256$a$b', 'bcrypt$1$2$3$4$5'])
    assert.throws(() => matchesClientSecret('s', stored), /unknown client secret hash format/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashClientSecret, matchesClientSecret, newClientSecret } from './client-secret.ts'

test('a new client secret matches only its own hash, which does not contain it', async () => {
  const [secret, other] = [newClientSecret(), newClientSecret()]
  assert.match(secret, /^sk_[\w-]{43}$/)
  assert.notEqual(secret, other)
  const stored = hashClientSecret(secret)
  assert.match(stored, /^sha256\$[\w-]{43}$/)
  assert.ok(!stored.includes(secret.slice(3)))
  assert.equal(await matchesClientSecret(secret, stored), true)
  assert.equal(await matchesClientSecret(other, stored), false)
})

test('the hash is SHA-256 (FIPS 180-4, the example "abc")', () => {
  const digest = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
  assert.equal(hashClientSecret('abc'), `sha256$${Buffer.from(digest, 'hex').toString('base64url')}`)
})

// The first 32 bytes of scrypt of "pleaseletmein" with salt "SodiumChloride" at N=16384, r=8, p=1 (RFC 7914, section 12).
const scryptHash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex')
const storedByOlderVersion = `scrypt$16384$8$1$${Buffer.from('SodiumChloride').toString('base64url')}$${scryptHash.toString('base64url')}`

test('a hash that an older version stored still matches its secret, and no other', async () => {
  assert.equal(await matchesClientSecret('pleaseletmein', storedByOlderVersion), true)
  assert.equal(await matchesClientSecret('pleaseletmeout', storedByOlderVersion), false)
})

test('while a secret is rotated, the new secret and the old one match; others do not', async () => {
  const newer = newClientSecret()
  for (const [older, before] of [
    ['pleaseletmein', storedByOlderVersion],
    ['older', hashClientSecret('older')],
  ] as const) {
    const isEither = (secret: string) => matchesClientSecret(secret, hashClientSecret(newer), before)
    assert.deepEqual(await Promise.all([older, newer, newClientSecret()].map(isEither)), [true, true, false])
  }
})

test('without a stored hash, no secret matches', async () => {
  assert.equal(await matchesClientSecret('anything'), false)
})

test('checking a secret against a stored text that is not a hash throws an error instead of rejecting the secret', async () => {
  for (const stored of ['', 'plain', 'sha256', 'sha256$a$b', 'bcrypt$1$2$3$4$5', 'scrypt$16$8$1'])
    await assert.rejects(matchesClientSecret('s', stored), /unknown client secret hash format/)
})

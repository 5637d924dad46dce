import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashClientSecret, matchesClientSecret, newClientSecret } from './client-secret.ts'

test('a new client secret matches only its own hash', async () => {
  const [secret, other] = [newClientSecret(), newClientSecret()]
  assert.match(secret, /^sk_[\w-]{43}$/)
  assert.notEqual(secret, other)
  const stored = await hashClientSecret(secret)
  assert.match(stored, /^scrypt\$32768\$8\$1\$[\w-]{22}\$[\w-]{43}$/)
  assert.ok(!stored.includes(secret.slice(3)))
  assert.equal(await matchesClientSecret(secret, stored), true)
  assert.equal(await matchesClientSecret(other, stored), false)
})

test('hashing a secret twice gives two different hashes, and the secret matches both', async () => {
  const [one, two] = await Promise.all([hashClientSecret('s'), hashClientSecret('s')])
  assert.notEqual(one, two)
  assert.deepEqual(await Promise.all([matchesClientSecret('s', one), matchesClientSecret('s', two)]), [true, true])
})

test('checking a hash uses the cost recorded in it', async () => {
  // The first 32 bytes of scrypt of "pleaseletmein" with salt "SodiumChloride" at N=16384, r=8, p=1 (RFC 7914, section 12).
  const hash = '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2'
  const salt = Buffer.from('SodiumChloride').toString('base64url')
  const stored = `scrypt$16384$8$1$${salt}$${Buffer.from(hash, 'hex').toString('base64url')}`
  assert.equal(await matchesClientSecret('pleaseletmein', stored), true)
  assert.equal(await matchesClientSecret('pleaseletmeout', stored), false)
})

test('checking a secret against a stored text that is not a hash throws an error instead of rejecting the secret', async () => {
  for (const stored of ['', 'plain', 'bcrypt$1$2$3$4$5', 'scrypt$16$8$1'])
    await assert.rejects(matchesClientSecret('s', stored), /unknown client secret hash format/)
})

test('two hashes that share a salt can be checked together and match only their two secrets', async () => {
  const [older, newer] = [newClientSecret(), newClientSecret()]
  const before = await hashClientSecret(older)
  const after = await hashClientSecret(newer, before)
  assert.equal(after.split('$')[4], before.split('$')[4])
  assert.notEqual(after, before)
  const isEither = (secret: string) => matchesClientSecret(secret, after, before)
  assert.deepEqual(await Promise.all([isEither(older), isEither(newer), isEither(newClientSecret())]), [
    true,
    true,
    false,
  ])
  assert.equal(await matchesClientSecret(older, after), false)
})

test('if the previous hash has a different cost, a new hash gets the current cost and a new salt; both secrets still match', async () => {
  const salt = Buffer.from('SodiumChloride').toString('base64url')
  const hash = Buffer.from('7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2', 'hex').toString(
    'base64url',
  )
  const before = `scrypt$16384$8$1$${salt}$${hash}`
  const after = await hashClientSecret('newer', before)
  assert.match(after, /^scrypt\$32768\$8\$1\$/)
  assert.ok(!after.includes(salt))
  assert.equal(await matchesClientSecret('pleaseletmein', after, before), true)
  assert.equal(await matchesClientSecret('newer', after, before), true)
  assert.equal(await matchesClientSecret('other', after, before), false)
})

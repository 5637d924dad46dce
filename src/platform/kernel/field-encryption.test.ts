import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { createFieldCipher, DecryptionError, type FieldLocation } from './field-encryption.ts'

const key = (id: string) => ({ id, key: randomBytes(32) })
const [one, two] = [key('one'), key('two')]
const hashKey = randomBytes(32)
const cipher = createFieldCipher([one], hashKey)
const location: FieldLocation = { column: 'customers.personal', row: 'tenant_1' }

const anyLocation = fc.record({ column: fc.string(), row: fc.string() })
const anyBytes = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))

test('decrypting a value in the column and row for which it was encrypted returns the original bytes or text', () => {
  fc.assert(
    fc.property(anyBytes, anyLocation, (plain, where) => {
      assert.deepEqual(cipher.decrypt(cipher.encrypt(plain, where), where), plain)
    }),
  )
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
      assert.equal(cipher.decrypt(cipher.encrypt(plain, location), location).toString('utf8'), plain)
    }),
  )
})

test('an encrypted value names its key, differs each time and reveals only the length of its content', () => {
  const values = Array.from({ length: 50 }, () => cipher.encrypt('Ada Lovelace', location))
  assert.equal(new Set(values).size, 50)
  for (const value of values) {
    assert.match(value, /^one\.[\w-]+$/)
    assert.ok(!Buffer.from(value.slice(4), 'base64url').includes('Ada'))
    assert.equal(Buffer.from(value.slice(4), 'base64url').length, 12 + 'Ada Lovelace'.length + 16)
  }
})

test('a value cannot be decrypted once it has been moved to another row or column', () => {
  const value = cipher.encrypt('secret', location)
  for (const elsewhere of [
    { ...location, row: 'tenant_2' },
    { ...location, column: 'customers.psr' },
    { column: 'customers', row: 'personal\0tenant_1' },
    { column: '', row: '' },
  ])
    assert.throws(() => cipher.decrypt(value, elsewhere), DecryptionError)
})

test('a value does not decrypt if any bit is changed or any part is missing', () => {
  const [, sealed = ''] = cipher.encrypt('secret', location).split('.')
  const bytes = Buffer.from(sealed, 'base64url')
  for (let bit = 0; bit < bytes.length * 8; bit += 1) {
    const altered = Buffer.from(bytes)
    altered.writeUInt8(altered.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3)
    assert.throws(() => cipher.decrypt(`one.${altered.toString('base64url')}`, location), DecryptionError)
  }
  for (let length = 0; length < bytes.length; length += 1)
    assert.throws(
      () => cipher.decrypt(`one.${bytes.subarray(0, length).toString('base64url')}`, location),
      DecryptionError,
    )
})

test('text that is not an encrypted value does not decrypt, and the error does not quote it', () => {
  for (const text of ['', 'plain text', 'one', 'one.', '.', 'two.AAAA', `${'x'.repeat(100)}.AAAA`])
    assert.throws(
      () => cipher.decrypt(text, location),
      (error) =>
        error instanceof DecryptionError &&
        !error.message.includes('plain text') &&
        error.message.includes(location.column),
    )
})

test('after rotation, old values still decrypt and new values use the new key', () => {
  const before = cipher.encrypt('kept', location)
  const rotated = createFieldCipher([two, one], hashKey)
  assert.equal(rotated.decrypt(before, location).toString(), 'kept')
  const after = rotated.encrypt('kept', location)
  assert.match(after, /^two\./)
  assert.throws(() => cipher.decrypt(after, location), DecryptionError)
  assert.throws(
    () => createFieldCipher([{ id: 'one', key: two.key }], hashKey).decrypt(before, location),
    DecryptionError,
  )
})

test('a hash depends only on the text and the hash key, not on the encryption keys', () => {
  const email = 'ada@example.com'
  assert.equal(createFieldCipher([two], hashKey).hash(email), cipher.hash(email))
  assert.notEqual(createFieldCipher([one], randomBytes(32)).hash(email), cipher.hash(email))
  fc.assert(
    fc.property(fc.string(), fc.string(), (first, second) => {
      assert.equal(cipher.hash(first) === cipher.hash(second), first === second)
    }),
  )
  assert.match(cipher.hash(email), /^[\w-]{43}$/)
})

test('a cipher without a key cannot be created', () => {
  assert.throws(() => createFieldCipher([], hashKey), /no encryption key/)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TypeID } from 'typeid-js'
import { type Id, isId, newId, newUnorderedId } from './ids.ts'

test('a new id matches the format of its own kind and of no other kind', () => {
  const quoteId = newId('quote')
  assert.match(quoteId, /^quote_[0-9a-z]{26}$/)
  assert.equal(isId('quote', quoteId), true)
  assert.equal(isId('tenant', quoteId), false)
})

test('text that is not an id matches no kind', () => {
  for (const text of ['', 'quote', 'quote_', 'quote_1', `${newId('quote')}0`, newId('quote').toUpperCase()])
    assert.equal(isId('quote', text), false, text)
})

test('an id of one kind does not compile where another kind is expected', () => {
  const takeQuote = (quoteId: Id<'quote'>) => quoteId.startsWith('quote_')
  assert.equal(takeQuote(newId('quote')), true)
  // @ts-expect-error A tenant id is not a quote id.
  assert.equal(takeQuote(newId('tenant')), false)
  const unread: string = newId('quote')
  // @ts-expect-error Text must be checked first.
  assert.equal(takeQuote(unread), true)
})

test('a new unordered id is a TypeID with a UUIDv7 of this moment', () => {
  const before = Date.now()
  const uids = Array.from({ length: 5_000 }, () => newUnorderedId('address'))
  const after = Date.now()
  for (const uid of uids) {
    assert.ok(isId('address', uid))
    const uuid = TypeID.fromString(uid).toUUID()
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const time = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)
    assert.ok(time >= before && time <= after)
  }
  assert.equal(new Set(uids).size, uids.length)
})

test('every character of the random part of new unordered ids takes all the values that it may have', () => {
  const uids = Array.from({ length: 5_000 }, () => newUnorderedId('address'))
  const counts = Array.from({ length: 16 }, (_, place) => new Set(uids.map((uid) => uid.at(18 + place))).size)
  assert.deepEqual(counts, [2, 32, 32, 8, ...Array<number>(12).fill(32)])
})

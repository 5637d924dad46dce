import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { TypeID } from 'typeid-js'
import { type Id, idOfUuid, isId, newId } from './ids.ts'

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

test('a new id is a TypeID with a UUIDv7 of this moment, greater than the one before', () => {
  const before = Date.now()
  const ids = Array.from({ length: 5_000 }, () => newId('address'))
  const after = Date.now()
  for (const id of ids) {
    assert.ok(isId('address', id))
    const uuid = TypeID.fromString(id).toUUID()
    assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    const time = Number.parseInt(uuid.replace('-', '').slice(0, 12), 16)
    assert.ok(time >= before && time <= after)
  }
  assert.deepEqual(ids, ids.toSorted())
  assert.equal(new Set(ids).size, ids.length)
})

test('the id of a UUID is its TypeID', () => {
  const uuids = [...Array.from({ length: 100 }, () => randomBytes(16)), Buffer.alloc(16), Buffer.alloc(16, 0xff)]
  for (const uuid of uuids) assert.equal(idOfUuid('address', uuid), TypeID.fromUUIDBytes('address', uuid).toString())
})

test('ids keep their format and stay in order while the clock stands still or goes back', (t) => {
  let now = Date.now() + 1_000
  t.mock.method(Date, 'now', () => now)
  const first = newId('quote')
  now -= 500
  const ids = [first, ...Array.from({ length: 50_000 }, () => newId('quote'))]
  assert.deepEqual(ids, ids.toSorted())
  assert.ok(ids.every((id) => isId('quote', id)))
})

test('every digit of the random part takes all the values that it may have', (t) => {
  let now = Date.now() + 10_000
  t.mock.method(Date, 'now', () => now++)
  const ids = Array.from({ length: 5_000 }, () => newId('address'))
  const counts = Array.from({ length: 16 }, (_, index) => new Set(ids.map((id) => id.at(18 + index))).size)
  assert.deepEqual(counts, [2, 32, 32, 8, 16, ...Array<number>(11).fill(32)])
})

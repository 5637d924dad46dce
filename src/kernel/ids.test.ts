import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Id, isId, newId } from './ids.ts'

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

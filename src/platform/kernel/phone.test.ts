import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasExtension, isPossiblePhone, toE164 } from './phone.ts'

test('a pasted number is stored in E.164 format, whatever stands around it', () => {
  const spellings = [
    '020 7946 0018',
    'tel:+442079460018',
    'TEL: 020 7946 0018',
    '+44 (0)20 7946 0018',
    '+44(0)2079460018',
    '0044 (0) 20 7946 0018',
    '\u202a+44 20 7946 0018\u202c',
    '\u2066020 7946 0018\u2069',
    '\u200e(020) 7946\u00a00018\u200f',
    'tel:\u200e020-7946-0018',
  ]
  assert.deepEqual(
    spellings.map((text) => isPossiblePhone(text) && toE164(text)),
    spellings.map(() => '+442079460018'),
  )
})

test('a number with an extension is rejected, because E.164 would lose it', () => {
  for (const extension of [' ext. 12', ' x12', ';ext=12', ' #12', ',12', ' extension 12']) {
    const text = `020 7946 0018${extension}`
    assert.ok(!isPossiblePhone(text) && hasExtension(text), text)
    assert.throws(() => toE164(text), RangeError)
  }
  assert.ok(!isPossiblePhone('tel:+44-20-7946-0018;ext=12'))
  assert.equal(hasExtension('020 7946 0018'), false)
})

test('text that is not a phone number is rejected', () => {
  for (const text of ['', 'tel:', '12', 'call me', '020 7946 0018 tel:', '7'.repeat(41)])
    assert.equal(isPossiblePhone(text), false, text)
})

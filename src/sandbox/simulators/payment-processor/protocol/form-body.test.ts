import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type FormFields, parseFormBody } from './parameters.ts'
import { StripeFault } from './stripe-fault.ts'

const plain = (fields: FormFields): unknown => JSON.parse(JSON.stringify(fields))

test('a form body with bracketed names is parsed as nested fields', () => {
  const fields = parseFormBody('name=Ada+Lovelace&metadata[a]=1&metadata%5Bb%5D=2&pm[card][number]=4242&types[0]=card')
  assert.deepEqual(plain(fields), {
    name: 'Ada Lovelace',
    metadata: { a: '1', b: '2' },
    pm: { card: { number: '4242' } },
    types: { 0: 'card' },
  })
})

test('a form body with an unnumbered list keeps all elements in order', () => {
  assert.deepEqual(plain(parseFormBody('types[]=card&types[]=link')), { types: { 0: 'card', 1: 'link' } })
})

test('a form body with names of prototype properties changes no other object', () => {
  const fields = parseFormBody('__proto__[polluted]=yes&constructor[prototype][polluted]=yes')
  assert.equal(Object.getPrototypeOf(fields), null)
  assert.equal(Reflect.get({}, 'polluted'), undefined)
})

for (const [what, body] of [
  ['unmatched brackets', 'a[b=1'],
  ['text after the brackets', 'a[b]c=1'],
  ['a name used as a value and as an object', 'a=1&a[b]=2'],
  ['a name used as an object and as a value', 'a[b]=2&a=1'],
  ['names nested too deeply', 'a[b][c][d][e][f]=1'],
  ['too many parameters', Array.from({ length: 201 }, (_, index) => `p${index}=1`).join('&')],
] as const) {
  test(`a form body with ${what} is rejected`, () => {
    assert.throws(
      () => parseFormBody(body),
      (error) => error instanceof StripeFault && error.status === 400,
    )
  })
}

test('any flat form survives encoding and parsing', () => {
  const name = fc.stringMatching(/^[a-z_]{1,12}$/)
  fc.assert(
    fc.property(fc.dictionary(name, fc.string()), (given) => {
      const text = new URLSearchParams(given).toString()
      // Encoding replaces unpaired surrogates, as any HTTP client would, so compare with what was really sent.
      assert.deepEqual(plain(parseFormBody(text)), Object.fromEntries(new URLSearchParams(text)))
    }),
    { numRuns: 100 },
  )
})

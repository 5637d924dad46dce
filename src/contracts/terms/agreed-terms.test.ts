import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import type { OperatorFile } from '../operator-file.ts'
import { readTerms, termsOf } from './agreed-terms.ts'

const sample: OperatorFile = JSON.parse(
  readFileSync(new URL('../../../reference-data/operator.sample.json', import.meta.url), 'utf8'),
)

test('a version of the terms contains the words and the figures, and nothing else of the file', () => {
  const { version, words, earlyExit, latePayment, text, sha256 } = readTerms(termsOf(sample))
  assert.deepEqual(
    [version, words, earlyExit, latePayment],
    [sample.terms.version, sample.terms, sample.earlyExit, sample.latePayment],
  )
  assert.match(sha256, /^[0-9a-f]{64}$/)
  assert.doesNotMatch(text, /Sample Power/)
})

test('the hash does not depend on the order of members, and changes with every word and figure', () => {
  const { sha256 } = termsOf(sample)
  const reversed = Object.fromEntries(Object.entries(sample.terms).reverse()) as OperatorFile['terms']
  assert.equal(termsOf({ ...sample, terms: reversed }).sha256, sha256)
  const supplier = { ...sample.suppliers, gas: { name: 'Other', address: 'Elsewhere', phone: '1' } }
  assert.equal(termsOf({ ...sample, suppliers: supplier }).sha256, sha256)
  const { earlyExit: _, ...withoutExit } = sample
  for (const changed of [
    { ...sample, terms: { ...sample.terms, deposit: `${sample.terms.deposit} ` } },
    { ...sample, terms: { ...sample.terms, clauses: [...sample.terms.clauses].reverse() } },
    withoutExit,
  ]) {
    assert.notEqual(termsOf(changed).sha256, sha256)
  }
})

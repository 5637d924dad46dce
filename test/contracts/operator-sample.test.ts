import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { readOperatorFile, UnusableFileError } from '../../src/app/operator-file.ts'
import { operatorFileSchema } from '../../src/contracts/operator-file.ts'
import { sampleOperator } from './contract-facts.fixture.ts'

const validate = new Ajv({ allErrors: true, strict: true }).compile(operatorFileSchema())

test('the sample operator file that ships with Housebill is valid', () => {
  assert.equal(validate(sampleOperator), true, JSON.stringify(validate.errors))
})

test('the sample operator is marked as a sample, and its names, numbers and addresses belong to no one', () => {
  assert.equal(sampleOperator.sample, true)
  const { trader, suppliers, complaints } = sampleOperator
  for (const { name } of [trader, ...Object.values(suppliers)]) assert.match(name, /^Sample /)
  // Ofcom reserves 01632 960000 to 960999 for drama.
  for (const { phone } of [trader, complaints, ...Object.values(suppliers)]) assert.match(phone, /^01632 960\d{3}$/)
  const text = JSON.stringify(sampleOperator)
  for (const [, host] of text.matchAll(/(?:https?:\/\/|@)([a-z-]+(?:\.[a-z-]+)*)/g))
    assert.match(host ?? '', /\.example\.com$/)
})

test('an operator file with an unknown field, a missing term or a blank name is rejected', () => {
  const { trader, terms } = sampleOperator
  const { afterSales: _, ...withoutAfterSales } = terms
  assert.equal(validate({ ...sampleOperator, colour: 'blue' }), false)
  assert.equal(validate({ ...sampleOperator, terms: withoutAfterSales }), false)
  assert.equal(validate({ ...sampleOperator, trader: { ...trader, name: '  ' } }), false)
})

test('a condition that no contract can meet is rejected', () => {
  const { terms } = sampleOperator
  const accepts = (condition: object) =>
    validate({ ...sampleOperator, terms: { ...terms, afterSales: [{ text: 'Call us.', ...condition }] } })
  for (const condition of [
    {},
    { services: ['gas'] },
    { household: 'sole' },
    { services: ['gas'], household: 'shared' },
  ])
    assert.equal(accepts(condition), true, JSON.stringify(condition))
  for (const condition of [
    { services: [] },
    { services: ['unknown_service'] },
    { household: 'large' },
    { service: 'gas' },
  ])
    assert.equal(accepts(condition), false, JSON.stringify(condition))
})

test('a version of the terms that cannot be part of a URL is rejected', () => {
  const accepts = (version: string) => validate({ ...sampleOperator, terms: { ...sampleOperator.terms, version } })
  for (const version of ['2027-01', 'v3', '1.2_b']) assert.equal(accepts(version), true, version)
  for (const version of ['May 2027', 'a/b', '3.pdf', '.hidden', '', 'x'.repeat(61)])
    assert.equal(accepts(version), false, version)
})

test('figures for leaving early and paying late are optional, but must be possible', () => {
  const { earlyExit, latePayment, ...without } = sampleOperator
  assert.equal(validate(without), true)
  for (const wrong of [
    { noFeeInLastDays: 48 },
    { noticeDays: -1 },
    { feePence: 19.5 },
    { vatRate: '20%' },
    { vatRate: '1.2' },
    { unpaidSetUpIsDue: 'yes' },
    { colour: 'blue' },
  ]) {
    assert.equal(validate({ ...without, earlyExit: { ...earlyExit, ...wrong } }), false, JSON.stringify(wrong))
  }
  for (const wrong of [{ freeFailures: -1 }, { retryAfterWorkingDays: 0 }, { feePence: -1 }])
    assert.equal(validate({ ...without, latePayment: { ...latePayment, ...wrong } }), false, JSON.stringify(wrong))
})

test('a text beside the figures it could contradict stops the start, and the error says what to remove', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'operator-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'operator.json')
  const terms = { ...sampleOperator.terms, endingEarly: 'Leave at any time.', latePayment: 'Pay soon.' }
  await writeFile(file, JSON.stringify({ ...sampleOperator, terms }))
  await assert.rejects(readOperatorFile(file), (error: unknown) => {
    assert.ok(error instanceof UnusableFileError)
    assert.deepEqual(
      error.problems.map(({ pointer }) => pointer),
      ['/terms/endingEarly', '/terms/latePayment'],
    )
    assert.match(error.message, /remove it: documents state \/earlyExit in words/)
    return true
  })
})

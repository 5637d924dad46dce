import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { operatorFileSchema } from '../../src/domain/contracts/operator.ts'
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
  const { deposit: _, ...withoutDeposit } = terms
  assert.equal(validate({ ...sampleOperator, colour: 'blue' }), false)
  assert.equal(validate({ ...sampleOperator, terms: withoutDeposit }), false)
  assert.equal(validate({ ...sampleOperator, trader: { ...trader, name: '  ' } }), false)
})

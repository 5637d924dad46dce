import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { routes } from '../../src/app/http/routes.ts'
import { operations } from './document.ts'
import { fillIn } from './known-values.ts'
import { requestsFor } from './request-plan.ts'
import { fittingValue } from './schema-arbitrary.ts'

test('every operation of the route table is fuzzed', () => {
  const fuzzed = operations.map(({ operationId }) => operationId)
  for (const { operationId } of routes) assert.ok(fuzzed.includes(operationId), operationId)
})

for (const { operationId, body } of operations.filter((each) => each.body !== undefined)) {
  test(`${operationId}: every value generated from the body schema matches that schema, apart from text lengths and formats`, () => {
    assert.ok(body !== undefined)
    // Text is not checked here, because generated text may have an invalid format or length. The service rejects such
    // text.
    const isOfShape = new Ajv2020({ strict: false, validateFormats: false }).compile(withoutLengths(body.schema))
    const values = fittingValue(body.schema)
    fc.assert(fc.property(values, (value) => assert.ok(isOfShape(value), JSON.stringify(isOfShape.errors))))
  })
}

function withoutLengths(schema: object): object {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === 'maxLength' || name === 'minLength' || name === 'pattern' ? undefined : value,
  )
}

test('the same seed and number always produce the same request', () => {
  for (const operation of operations) {
    const [one] = fc.sample(requestsFor(operation), { seed: 7, numRuns: 1 })
    const [other] = fc.sample(requestsFor(operation), { seed: 7, numRuns: 1 })
    assert.deepEqual(one, other)
  }
})

test('placeholders are replaced by ids of the household, or by an unknown id if the household has none of that kind', () => {
  const names = {
    own: { quoteId: 'mine' },
    foreign: { quoteId: 'theirs' },
    unknown: { quoteId: 'no', webhookId: 'none' },
  }
  assert.equal(fillIn('{{own.quoteId}}/{{foreign.quoteId}}/{{own.webhookId}}', names), 'mine/theirs/none')
  assert.equal(fillIn('{{own.quxteId}}', names), '{{own.quxteId}}')
})

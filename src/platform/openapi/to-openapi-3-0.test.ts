import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOpenApi30 } from './to-openapi-3-0.ts'

const convert = (schema: object) => {
  const { components } = toOpenApi30({
    openapi: '3.1.1',
    info: { title: 'T', summary: 'S', license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    webhooks: {},
    components: { schemas: { Tested: schema } },
  })
  return (components as { schemas: { Tested: object } }).schemas.Tested
}

test('toOpenApi30 writes each kind of schema as 3.0 does', () => {
  const pairs: [object, object][] = [
    [
      { type: ['string', 'null'], maxLength: 5 },
      { maxLength: 5, type: 'string', nullable: true },
    ],
    [
      { anyOf: [{ $ref: '#/a' }, { type: 'null' }], description: 'd' },
      { description: 'd', allOf: [{ $ref: '#/a' }], nullable: true },
    ],
    [{ oneOf: [{ $ref: '#/a' }, { $ref: '#/b' }] }, { allOf: [{ $ref: '#/a' }] }],
    [
      { oneOf: [{ $ref: '#/a' }], discriminator: { propertyName: 'type' } },
      { oneOf: [{ $ref: '#/a' }], discriminator: { propertyName: 'type' } },
    ],
    [{ $ref: '#/a' }, { $ref: '#/a' }],
    [
      { $ref: '#/a', description: 'd' },
      { allOf: [{ $ref: '#/a' }], description: 'd' },
    ],
    [
      { const: true, type: 'boolean' },
      { type: 'boolean', enum: [true] },
    ],
    [
      { type: 'string', examples: ['LS2 9JT'] },
      { type: 'string', example: 'LS2 9JT' },
    ],
    [
      { type: 'object', propertyNames: { pattern: '^[a-z]+$' }, additionalProperties: { type: 'string' } },
      { type: 'object', additionalProperties: { type: 'string' } },
    ],
    [
      { type: 'object', properties: { type: { type: 'string' }, items: { type: 'integer' } } },
      { type: 'object', properties: { type: { type: 'string' }, items: { type: 'integer' } } },
    ],
  ]
  for (const [schema, expected] of pairs) assert.deepEqual(convert(schema), expected)
})

test('toOpenApi30 leaves examples as they are and keeps webhooks as an extension', () => {
  const example = { type: ['string', 'null'], const: 1 }
  const webhooks = { 'quote.status.changed': { post: { example } } }
  const document = toOpenApi30({ openapi: '3.1.1', info: { license: { name: 'Apache-2.0' } }, webhooks })
  assert.deepEqual(document['x-webhooks'], webhooks)
  assert.equal(document.webhooks, undefined)
  assert.equal(document.openapi, '3.0.3')
})

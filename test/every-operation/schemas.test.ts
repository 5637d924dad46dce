import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'

interface Schema {
  type?: string | readonly string[]
  description?: string
  properties?: Record<string, Schema & { $ref?: string }>
  additionalProperties?: boolean | Schema
  [keyword: string]: unknown
}

const document = JSON.parse(readFileSync(new URL('../../openapi/partner-api.json', import.meta.url), 'utf8')) as {
  paths: object
  webhooks: object
  components: { schemas: Record<string, Schema>; responses: object }
}
const { schemas } = document.components

/** Every schema below a part of the document, with its place. Examples are data, not schemas. */
function schemasBelow(part: unknown, place: string): [place: string, schema: Schema][] {
  if (typeof part !== 'object' || part === null) return []
  const below = Object.entries(part).flatMap(([name, value]) =>
    ['example', 'examples', 'value'].includes(name) ? [] : schemasBelow(value, `${place}/${name}`),
  )
  return 'type' in part || 'enum' in part ? [[place, part as Schema], ...below] : below
}

const named = Object.entries(schemas)
const everywhere = [
  ...schemasBelow(document.paths, 'paths'),
  ...schemasBelow(document.webhooks, 'webhooks'),
  ...schemasBelow(schemas, 'schemas'),
]

test('every object with properties in the API document is a named schema', () => {
  const anonymous = everywhere.filter(
    ([place, { type, properties }]) =>
      type === 'object' && properties !== undefined && !/^schemas\/\w+$/.test(place) && !place.endsWith('/data'),
  )
  assert.deepEqual(
    anonymous.map(([place]) => place),
    [],
  )
})

test('every named schema and every property has a description', () => {
  const described = named.filter(([, { description }]) => description === undefined || description.length < 4)
  // A choice of forms is described by its forms.
  assert.deepEqual(
    described.map(([name]) => name).filter((name) => !/(Token|Revocation)Request(Form)?$/.test(name)),
    [],
  )
  const without = named.flatMap(([name, { properties = {} }]) =>
    Object.entries(properties)
      .filter(([, { description, $ref }]) => (description ?? $ref ?? '').length < 4)
      .map(([property]) => `${name}.${property}`),
  )
  assert.deepEqual(without, [])
})

test('an amount says that it is in pence, and no two cost members of a schema have the same description', () => {
  for (const [name, { properties = {} }] of named) {
    const costs = Object.entries(properties).filter(
      ([property, { format }]) => format === 'int64' && /[cC]ost|amount/i.test(property),
    )
    for (const [property, { description = '' }] of costs) assert.match(description, /pence/, `${name}.${property}`)
    const texts = costs.map(([, { description }]) => description)
    assert.equal(new Set(texts).size, texts.length, name)
  }
})

/** The names of the schemas that a part of the document refers to, directly or through others. */
function reachable(part: unknown, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
    if (found.has(name)) continue
    found.add(name)
    reachable(schemas[name], found)
  }
  return found
}

interface Described {
  requestBody?: unknown
  responses: unknown
}
const operations = Object.values(document.paths).flatMap((byMethod: object): Described[] => Object.values(byMethod))
const messages = Object.values(document.webhooks).map(({ post }: { post: Described }) => post)

test('what partners send is closed, and what they get is open', () => {
  const sent = reachable([operations.map(({ requestBody }) => requestBody), messages.map(({ responses }) => responses)])
  const received = reachable([
    operations.map(({ responses }) => responses),
    messages.map(({ requestBody }) => requestBody),
    document.components.responses,
  ])
  const objects = named.filter(([, { type, properties }]) => type === 'object' && properties !== undefined)
  const shut = objects.filter(([, schema]) => schema.additionalProperties === false).map(([name]) => name)
  assert.deepEqual(
    shut.sort(),
    objects
      .map(([name]) => name)
      .filter((name) => sent.has(name))
      .sort(),
  )
  assert.ok(received.size > sent.size)
})

import { type Schema, withoutNull } from './schema.ts'

/** Example values by field name. A name such as `parent.field` applies only to the field inside that parent. */
const byName: Readonly<Record<string, unknown>> = {
  addressUid: 'address_01h455vb4pex5vsknk084sn02q',
  'broadbandProducts[]': 'fibre-150',
  clientId: 'sb_example',
  clientSecret: 'example-secret',
  copies: 2,
  delaySeconds: 2,
  dateOfBirth: '1995-12-10',
  'events[]': 'quote.status.changed',
  down: true,
  firstName: 'Ada',
  lastName: 'Lovelace',
  name: 'Ada Lovelace',
  'packageIds[]': 'electricity-standard',
  paymentMethod: 'pm_card_visa',
  seconds: 3_600,
  'tenantIds[]': 'tenant_01m7w4kmmpf2288994r3wsyr86',
  serviceId: 'electricity-standard',
  token: 'eyJhbGciOiJFUzI1NiIs…',
  type: 'quote.status.changed',
  url: 'https://partner.example/webhooks',
}

const byFormat: Readonly<Record<string, unknown>> = {
  date: '2026-11-20',
  'date-time': '2026-11-20T09:29:10.041Z',
  'idn-email': 'ada@example.com',
  phone: '07700 900123',
  ip: '203.0.113.7',
}

/**
 * An example body: the required fields or, if none is required, all fields with an example. If there are several forms, the first is used.
 * Undefined if a required field has no readable example.
 */
export function exampleBody(schema: Schema, path = ''): unknown {
  const { plain } = withoutNull(schema)
  const [form] = plain.anyOf ?? plain.oneOf ?? []
  if (form !== undefined) return exampleBody(form, path)
  if (plain.properties !== undefined) return exampleObject(plain.properties, plain.required ?? [], path)
  if (plain.items === undefined) return exampleOf(plain, path)
  const entry = exampleBody(plain.items, `${path}[]`)
  return entry === undefined ? undefined : [entry]
}

function exampleObject(
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[],
  path: string,
): Record<string, unknown> | undefined {
  const names = required.length > 0 ? required : Object.keys(properties)
  const members = names
    .map((name) => [name, exampleBody(properties[name] ?? {}, path === '' ? name : `${path}.${name}`)] as const)
    .filter(([, value]) => value !== undefined)
  const isWhole = members.length >= required.length && members.length > 0
  return isWhole ? Object.fromEntries(members) : undefined
}

function exampleOf(schema: Schema, path: string): unknown {
  const { type, format = '', enum: words } = schema
  const documented = schema.const ?? schema.examples?.[0] ?? schema.default
  return documented ?? sampleByName(path) ?? words?.[0] ?? byFormat[format] ?? (type === 'boolean' ? false : undefined)
}

/** The example whose name matches the end of this path. */
function sampleByName(path: string): unknown {
  const parts = path.split('.')
  const found = parts.map((_, index) => parts.slice(index).join('.')).find((name) => Object.hasOwn(byName, name))
  return found === undefined ? undefined : byName[found]
}

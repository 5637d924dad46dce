import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { operatorRoutes } from '../../../src/app/http/operator-routes.ts'
import { routes } from '../../../src/app/http/routes.ts'
import { operatorAccountId } from '../../../src/partners/operators/operator-scopes.ts'
import type { Operation } from '../../../src/platform/http/route.ts'
import { newId } from '../../../src/platform/kernel/ids.ts'
import { earnAtOnce } from '../../back-office/start-commission.ts'
import { startLedger } from '../../payments/start-ledger.ts'
import { call, type Problem } from '../../support/client.ts'
import { rawRows } from '../../support/customer-fixtures.ts'
import { psrDetails } from '../../support/household.ts'
import { published } from '../../support/openapi-responses.ts'
import { connectOperator } from '../../support/operator.ts'
import { rejected, succeeded } from '../../support/responses.ts'

/** The parts of a schema from which this test derives wrong requests. */
interface Schema {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxProperties?: number
}

/** A request with one fault, and what the table in docs/errors-and-retries.md says of it. */
interface Fault {
  what: string
  pointer: string
  code: RegExp
  status: 400 | 422
  value: unknown
}

const textTypes = { date: '2027-02-30', 'date-time': 'yesterday' } as Record<string, string>
const isOf = ({ type }: Schema, name: string) => (Array.isArray(type) ? type.includes(name) : type === name)

/** Values of the right type that the schema does not accept; none if it accepts every value of the type. */
function unacceptable(schema: Schema): unknown[] {
  if (schema.enum !== undefined) return isOf(schema, 'string') ? ['no such value'] : []
  if (isOf(schema, 'string')) {
    const { format, pattern, minLength = 0, maxLength } = schema
    const unfit = format !== undefined || pattern !== undefined ? [textTypes[format ?? ''] ?? ' '] : []
    const tooLong = maxLength === undefined || maxLength > 10_000 ? [] : ['x'.repeat(maxLength + 1)]
    return [...unfit, ...(minLength > 0 ? [''] : []), ...tooLong]
  }
  if (isOf(schema, 'integer') || isOf(schema, 'number')) {
    const { minimum, maximum } = schema
    return [...(minimum === undefined ? [] : [minimum - 1]), ...(maximum === undefined ? [] : [maximum + 1])]
  }
  if (isOf(schema, 'array')) return schema.minItems === undefined ? [] : [[]]
  if (schema.maxProperties === undefined) return []
  const tooMany = Object.fromEntries(Array.from({ length: schema.maxProperties + 1 }, (_, index) => [`k${index}`, 'v']))
  return [tooMany, { 'not a key': 'v' }]
}

/** A value of a type that the schema does not have. */
function ofWrongType(schema: Schema): unknown {
  if (isOf(schema, 'string')) return 7
  if (isOf(schema, 'array')) return {}
  return isOf(schema, 'object') ? [] : 'seven'
}

function* faultsOf(schema: Schema, whole: unknown, pointer = ''): Generator<Fault> {
  const shape = (what: string, at: string, code: RegExp, value: unknown): Fault => ({
    ...{ what, pointer: at, code, value, status: 400 },
  })
  yield shape('of the wrong type', pointer, /^wrong_type$/, ofWrongType(schema))
  for (const value of unacceptable(schema))
    yield { what: `with ${JSON.stringify(value).slice(0, 30)}`, pointer, code: /./, status: 422, value }
  if (Array.isArray(whole) && schema.items !== undefined) {
    const [first, ...rest] = whole as unknown[]
    for (const fault of faultsOf(schema.items, first, `${pointer}/0`)) yield { ...fault, value: [fault.value, ...rest] }
  }
  const { properties, required = [] } = schema
  if (properties === undefined || typeof whole !== 'object' || whole === null) return
  const members = whole as Record<string, unknown>
  yield shape('unknown', `${pointer}/unheard`, /^unknown_field$/, { ...members, unheard: 1 })
  for (const name of required) {
    const { [name]: _, ...others } = members
    yield shape('missing', `${pointer}/${name}`, /^required$/, others)
  }
  for (const [name, member] of Object.entries(properties)) {
    const { [name]: own, ...others } = members
    for (const fault of faultsOf(member, own, `${pointer}/${name}`))
      yield { ...fault, value: { ...others, [name]: fault.value } }
  }
}

/** Values of query parameters that some operations require. */
const requiredQuery: Record<string, string> = { postcode: 'LS2 9JT', month: '2026-10', before: 'x', after: 'y' }

/** The faults of query parameters, which are text on the way. */
function* queryFaults(query: Schema): Generator<Fault> {
  yield { what: 'unknown', pointer: '/query/unheard', code: /^unknown_field$/, status: 400, value: '?unheard=1' }
  for (const [name, schema] of Object.entries(query.properties ?? {})) {
    const pointer = `/query/${name}`
    const others = (query.required ?? []).filter((each) => each !== name)
    const rest = others.map((each) => `&${each}=${encodeURIComponent(requiredQuery[each] ?? '')}`).join('')
    if (query.required?.includes(name))
      yield { what: 'missing', pointer, code: /^required$/, status: 400, value: `?${rest}` }
    if (isOf(schema, 'integer'))
      yield { what: 'no number', pointer, code: /^wrong_type$/, status: 400, value: `?${name}=seven${rest}` }
    yield { what: 'repeated', pointer, code: /^wrong_type$/, status: 400, value: `?${name}=1&${name}=2${rest}` }
    for (const value of unacceptable(schema))
      yield {
        ...{ what: `with ${String(value).slice(0, 30)}`, pointer, code: /./, status: 422 },
        value: `?${name}=${encodeURIComponent(String(value))}${rest}`,
      }
  }
}

const ledger = await startLedger()
after(() => ledger.stop())
const { service, partner, notify, acceptedCustomer, attempt } = ledger
const operator = await connectOperator(service)
const { lead, processorCustomerId } = await acceptedCustomer()
succeeded(await notify('payment_intent.succeeded', attempt(processorCustomerId, 7), {}))
const { contract, quoteId } = succeeded(await partner.get(`/Customers/${lead}`))
const first = async (path: string, name: string) =>
  succeeded(await operator.get<{ data: Record<string, string>[] }>(path)).data[0]?.[name] ?? ''
succeeded(await partner.patch(`/Customers/${lead}`, { psrDetails: psrDetails() }))
const webhookId = newId('webhook')
await rawRows(
  service,
  `with account as (insert into partners (partner_id, name) values ($2, 'Operator') returning partner_id)
   insert into webhooks (webhook_id, partner_id, url, events, status, verification)
   select $1, partner_id, 'https://office.example', '{}', 'disabled', 'pending' from account`,
  [webhookId, operatorAccountId],
)
await earnAtOnce(service, contract?.contractNumber ?? '')
await rawRows(
  service,
  `insert into commission_queries (query_id, partner_id, line_id, text_encrypted, asked_at)
   select 'query_1', partner_id, line_id, '', now() from commission_entries`,
  [],
)
/** Ids that exist, because the operator API looks for the owner of what it changes first. */
const parameters: Record<string, string> = {
  ...{ number: contract?.contractNumber ?? '', quoteId, serviceId: 'gas-standard', customerId: lead },
  entryId: await first(`/Payments?customerId=${lead}`, 'entryId'),
  reportId: await first('/Payments/unmatched', 'reportId'),
  partnerId: await first('/Partners', 'partnerId'),
  webhookId,
  queryId: 'query_1',
}

const apis = [
  {
    prefix: '/partner-api',
    operations: routes as readonly Operation[],
    token: partner.token,
    document: published.partner,
  },
  {
    prefix: '/operator-api',
    operations: operatorRoutes as readonly Operation[],
    token: operator.token,
    document: published.operator,
  },
]
for (const { prefix, operations, token, document } of apis) {
  const { paths } = document as {
    paths: Record<string, Record<string, { requestBody?: { content: Record<string, { example?: unknown }> } }>>
  }
  const send = (method: string, url: string, body: string | undefined) =>
    call(service.baseUrl, method, url, undefined, {
      headers: {
        Authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { rawBody: body }),
    })

  test(`every operation of ${prefix} distinguishes a wrong shape (400) from a wrong value (422), and names what is wrong`, async () => {
    const deviations: string[] = []
    for (const { method, path, body, query, operationId } of operations) {
      const url = `${prefix}${path.replace(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? 'x')}`
      const expectFault = async (
        { what, pointer, code, status }: Fault,
        response: Awaited<ReturnType<typeof send>>,
      ) => {
        const problem = response.body as Problem
        const found = problem.errors?.find((each) => each.pointer === pointer || each.pointer.startsWith(`${pointer}/`))
        if (response.status !== status || found === undefined || !code.test(found.code))
          deviations.push(`${operationId} ${pointer} ${what}: ${response.status} ${response.text.slice(0, 300)}`)
        else rejected(response, status, problem.code)
      }
      const example =
        paths[`${prefix}${path}`]?.[method.toLowerCase()]?.requestBody?.content['application/json']?.example
      const sent = method === 'GET' ? undefined : JSON.stringify(body === undefined ? {} : (example ?? {}))
      const ofQuery = query === undefined ? [] : [...queryFaults(query as Schema)]
      for (const fault of ofQuery) await expectFault(fault, await send(method, `${url}${String(fault.value)}`, sent))
      if (body === undefined) continue
      const malformed = await send(method, url, '{')
      if (malformed.status !== 400) deviations.push(`${operationId} not JSON: ${malformed.status}`)
      // What is wrong within a rate card is a value: the card has a schema of its own.
      // What is wrong within a row of an import is found once its kind is known.
      const later = operationId === 'updateImport' ? '/rows/0/' : '/card/'
      const faults = [...faultsOf(body as Schema, example ?? {})].filter(({ pointer }) => !pointer.startsWith(later))
      for (const fault of faults) await expectFault(fault, await send(method, url, JSON.stringify(fault.value)))
    }
    assert.deepEqual(deviations, [])
  })
}

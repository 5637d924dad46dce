import fc from 'fast-check'
import { byteDamage, oddNotation, toJsonText, valueDamage } from './body-damage.ts'
import type { Operation } from './document.ts'
import {
  oddAuthorization,
  oddHeaders,
  oddIdempotencyHeaders,
  oddMethod,
  oddPath,
  oddPathId,
  oddQuery,
} from './odd-request.ts'
import { fittingValue } from './schema-arbitrary.ts'

/** A request whose household is not known yet. Its placeholders in double braces are replaced when it is sent. */
export interface RequestPlan {
  operation: Operation
  method: string
  /** The path without the query. */
  path: string
  /** The query with its question mark, or an empty string. */
  query: string
  headers: readonly (readonly [name: string, value: string])[]
  body: string | Buffer | undefined
  /** True if the request is as documented, apart from the values in its query and body. */
  isPlain: boolean
  /** Who owns the object whose id is in the path. */
  whose: 'own' | 'foreign' | 'unknown' | 'odd'
}

/** Changes one detail to something that a client library would not send. */
type Disturbance = (plan: RequestPlan) => RequestPlan

/** The placeholder for each path parameter, by its description in the document. */
const idNames: Readonly<Record<string, string>> = {
  quoteId: 'quoteId',
  customerId: 'customerId',
  setupIntentId: 'setupIntentId',
  webhookId: 'webhookId',
  deliveryId: 'deliveryId',
  replayId: 'replayId',
  eventId: 'eventId',
  importId: 'importId',
  lineId: 'lineId',
  addressUid: 'addressUid',
  'The uid of an availability request, or an addressUid.': 'availabilityUid',
}

/** The placeholder for each path parameter of the operator API, by its name. */
const operatorIdNames: Readonly<Record<string, string>> = {
  number: 'contractNumber',
  contractNumber: 'contractNumber',
  quoteId: 'quoteId',
  serviceId: 'serviceId',
  customerId: 'customerId',
  entryId: 'entryId',
  reportId: 'reportId',
  partnerId: 'managedPartnerId',
  clientId: 'managedClientId',
  id: 'cardId',
  personId: 'personId',
  queryId: 'queryId',
  webhookId: 'webhookId',
}

const tokenNames = { partner: 'token', operator: 'operatorToken' } as const

/** Requests for this operation. Most are as documented; the others are unusual or wrong in some way. */
export function requestsFor(operation: Operation): fc.Arbitrary<RequestPlan> {
  const plain = fc
    .record({ whose: whoseId, query: queryOf(operation), body: bodyOf(operation) })
    .map(({ whose, query, body }) => plainPlan(operation, whose, query, body))
  return fc.oneof(
    { weight: 6, arbitrary: plain },
    { weight: 4, arbitrary: fc.tuple(plain, disturbanceOf(operation)).map(([plan, disturb]) => disturb(plan)) },
  )
}

const whoseId = fc.oneof(
  { weight: 17, arbitrary: fc.constant('own' as const) },
  { weight: 2, arbitrary: fc.constant('foreign' as const) },
  { weight: 1, arbitrary: fc.constant('unknown' as const) },
)

function plainPlan(
  operation: Operation,
  whose: 'own' | 'foreign' | 'unknown',
  query: string,
  body: PlannedBody | undefined,
): RequestPlan {
  const { api, idOf = '', method, path } = operation
  const placeholder = (_: string, parameter: string) => {
    const isContract = parameter === 'contractNumber'
    const name = api === 'partner' && !isContract ? idNames[idOf] : operatorIdNames[parameter]
    if (name === undefined) throw new Error(`add the parameter of ${path} to the path ids of test/fuzz`)
    return `{{${whose}.${name}}}`
  }
  return {
    operation,
    method,
    path: path.replace(/\{(\w+)\}/g, placeholder),
    query,
    headers: [
      ...(operation.needsToken ? [['authorization', `Bearer {{own.${tokenNames[api]}}}`] as const] : []),
      ...(body === undefined ? [] : [['content-type', body.mediaType] as const]),
    ],
    body: body?.text,
    isPlain: true,
    whose,
  }
}

function queryOf({ query }: Operation): fc.Arbitrary<string> {
  if (query.length === 0) return fc.constant('')
  const parameters = Object.fromEntries(query.map(({ name, schema }) => [name, fittingValue(schema, name)]))
  const requiredKeys = query.filter(({ required }) => required).map(({ name }) => name)
  return fc.record(parameters, { requiredKeys, noNullPrototype: true }).map((values) => {
    const pairs = Object.entries(values).map(([name, value]) => `${name}=${encodeLoosely(String(value))}`)
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  })
}

/** Keeps placeholders, which are replaced later, and replaces lone surrogates, which cannot be encoded. */
function encodeLoosely(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(/%7B%7B([\w.]+)%7D%7D/g, '{{$1}}')
}

interface PlannedBody {
  text: string | Buffer
  mediaType: string
}

function bodyOf({ body }: Operation): fc.Arbitrary<PlannedBody | undefined> {
  const asJson = (text: string | Buffer): PlannedBody => ({ text, mediaType: 'application/json' })
  if (body === undefined) return fc.constantFrom(undefined, undefined, asJson(''), asJson('{}'))
  const value = fittingValue(body.schema)
  const sent = fc.oneof(
    { weight: 12, arbitrary: value.map(toJsonText) },
    { weight: 4, arbitrary: fc.tuple(value.map(toJsonText), oddNotation).map(([text, rewrite]) => rewrite(text)) },
    { weight: 6, arbitrary: fc.tuple(value, valueDamage).map(([fine, damage]) => toJsonText(damage(fine))) },
    { weight: 3, arbitrary: fc.tuple(value.map(toJsonText), byteDamage).map(([text, damage]) => damage(text)) },
  )
  const json = sent.map(asJson)
  if (!body.required) return fc.oneof({ weight: 2, arbitrary: json }, fc.constant(undefined))
  if (!body.mediaTypes.includes(form)) return json
  return fc.oneof(json, fc.tuple(value, fc.constantFrom('', '&', '&scope=a&scope=b', '&x=%zz')).map(asForm))
}

const form = 'application/x-www-form-urlencoded'

function asForm([value, added]: [unknown, string]): PlannedBody {
  const pairs = Object.entries(value as object).map(([name, each]) => `${name}=${encodeLoosely(String(each))}`)
  return { text: `${pairs.join('&')}${added}`, mediaType: form }
}

function disturbanceOf(operation: Operation): fc.Arbitrary<Disturbance> {
  const changed = <Part>(part: fc.Arbitrary<Part>, change: (plan: RequestPlan, part: Part) => Partial<RequestPlan>) =>
    part.map(
      (each): Disturbance =>
        (plan) => ({ ...plan, isPlain: false, ...change(plan, each) }),
    )
  const withHeaders = (part: fc.Arbitrary<readonly (readonly [string, string])[]>) =>
    changed(part, ({ headers }, added) => {
      const replaced = new Set(added.map(([name]) => name))
      return { headers: [...headers.filter(([name]) => !replaced.has(name)), ...added] }
    })
  return fc.oneof(
    { weight: 3, arbitrary: withHeaders(oddHeaders) },
    ...(operation.takesKey ? [{ weight: 4, arbitrary: withHeaders(oddIdempotencyHeaders) }] : []),
    { weight: 1, arbitrary: withHeaders(oddAuthorization) },
    { weight: 2, arbitrary: changed(oddQuery, ({ query }, added) => ({ query: joined(query, added) })) },
    { weight: 1, arbitrary: changed(oddMethod, (_plan, method) => ({ method })) },
    { weight: 2, arbitrary: changed(oddPath, ({ path }, rewrite) => ({ path: rewrite(path) })) },
    ...(operation.idOf === undefined
      ? []
      : [
          {
            weight: 2,
            arbitrary: changed(oddPathId, (_plan, id) => ({
              path: operation.path.replace(/\{\w+\}/g, () => id),
              whose: 'odd' as const,
            })),
          },
        ]),
  )
}

function joined(query: string, added: string): string {
  return query === '' ? `?${added}` : `${query}&${added}`
}

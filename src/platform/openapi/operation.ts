import type { TObject } from 'typebox'
import type { Operation } from '../http/route.ts'
import { idempotencyKeyPattern } from '../idempotency/idempotency-http.ts'
import { storedResponseSeconds } from '../idempotency/response-retention.ts'
import type { ErrorCode } from '../kernel/errors.ts'
import { referencesTo, sharedHeaders } from './components.ts'
import { type Examples, shown } from './examples.ts'
import type { ProblemResponses } from './problem-responses.ts'
import type { SchemaWriter } from './schema-writer.ts'
import { timeInWords } from './time-in-words.ts'

/** What the parts of one document share: its named schemas, its common responses and its examples. */
export interface DocumentParts {
  writer: SchemaWriter
  problems: ProblemResponses
  examples: Examples
}

/** The error codes that every operation with a token can return. */
const sharedCodes: readonly ErrorCode[] = [
  'invalid_request',
  'unauthenticated',
  'insufficient_scope',
  'address_not_allowed',
  'partner_suspended',
  'not_acceptable',
  'request_timeout',
  'uri_too_long',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'service_unavailable',
]
const bodyCodes: readonly ErrorCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type']
const idempotencyCodes: readonly ErrorCode[] = ['idempotency_in_flight', 'idempotency_key_reused']

/** Every error code an operation can return. */
export function documentedCodes(route: Pick<Operation, 'method' | 'path' | 'errors'>): ErrorCode[] {
  const codes = new Set<ErrorCode>([
    ...sharedCodes,
    ...(route.path.includes('{') ? (['not_found'] as const) : []),
    ...(route.method === 'GET' ? [] : bodyCodes),
    ...(route.method === 'POST' ? idempotencyCodes : []),
    ...route.errors,
  ])
  return [...codes]
}

/** One operation of an API's document. */
export function operationOf(
  { writer, problems, examples }: DocumentParts,
  route: Operation,
  headers: readonly object[] = [],
): Record<string, unknown> {
  const example = examples.operations[route.operationId]
  const scopes = [route.scope, ...(route.alsoScope === undefined ? [] : [route.alsoScope])]
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [
      route.description,
      `Needs the ${scopes.length === 1 ? 'scope' : 'scopes'} ${scopes.map((scope) => `\`${scope}\``).join(' and ')}.`,
    ]
      .filter((text) => text !== undefined)
      .join(' '),
    security: [{ accessToken: [] }, { oauth2: scopes }],
    'x-scope': route.scope,
    parameters: [
      ...pathParameters(route),
      ...queryParameters(writer, route.query),
      ...(route.method === 'POST' ? [idempotencyParameter] : []),
      ...headers,
    ],
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !route.bodyIsOptional,
            content: { 'application/json': { schema: writer.write(route.body), ...shown(example?.request) } },
          },
        }),
    responses: {
      '200': {
        description: 'The request succeeded',
        headers: {
          ...referencesTo(
            Object.keys(sharedHeaders).filter((name) => name !== 'Idempotent-Replayed' || route.method === 'POST'),
          ),
          ...Object.fromEntries(
            Object.entries(route.replyHeaders ?? {}).map(([name, description]) => [
              name,
              { description, schema: { type: 'string', maxLength: 200 } },
            ]),
          ),
        },
        content: {
          'application/json': { schema: writer.write(route.reply), ...shown(example?.response) },
          ...Object.fromEntries(
            Object.entries(route.textTypes ?? {}).map(([type, written]) => [
              type,
              { schema: { type: 'string', maxLength: 1e12 }, ...shown(example && written(example.response)) },
            ]),
          ),
        },
      },
      ...problems.write(documentedCodes(route)),
    },
  }
}

function pathParameters(route: Operation): unknown[] {
  return [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    description: route.idDescription ?? 'id',
    schema: { type: 'string', minLength: 1, maxLength: 200 },
  }))
}

function queryParameters(writer: SchemaWriter, query: TObject | undefined): unknown[] {
  if (query === undefined) return []
  const required = new Set((query as { required?: string[] }).required ?? [])
  return Object.entries(query.properties).map(([name, schema]) => ({
    name,
    in: 'query',
    required: required.has(name),
    description: (schema as { description?: string }).description ?? name,
    schema: writer.write(schema),
  }))
}

const idempotencyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: `Makes retries safe. For ${timeInWords(storedResponseSeconds)}, a request with the same key, path and body returns the stored response, byte for byte, with the header \`Idempotent-Replayed: true\`.`,
  schema: { type: 'string', minLength: 1, maxLength: 257, pattern: idempotencyKeyPattern },
}

import type { Command } from 'commander'
import { createMetrics } from '../../src/adapters/prometheus/metrics.ts'
import { createProgram } from '../../src/cli/program.ts'
import { defaultWebhookRetrySeconds } from '../../src/config/config.ts'
import { readEnvironment } from '../../src/config/env.ts'
import { createMailCounts } from '../../src/domain/mails/mail-counts.ts'
import { errorResponses } from '../../src/http/error-responses.ts'
import { buildOpenApiDocument } from '../../src/http/openapi/document.ts'
import { routes } from '../../src/http/routes/table.ts'

/**
 * Lists what partners and operators rely on, one fact per line: operations with their parameters, fields, headers and error codes,
 * webhook messages, settings, commands and flags, metrics. Descriptions and other wording are left out.
 */
export async function listBehaviourFacts(): Promise<string[]> {
  const facts = [...apiFacts(), ...errorFacts(), ...settingFacts(), ...commandFacts(), ...(await metricFacts())]
  return [...new Set(facts)].sort()
}

interface Schema {
  type?: string | readonly string[]
  format?: string
  pattern?: string
  enum?: readonly unknown[]
  const?: unknown
  required?: readonly string[]
  properties?: Record<string, Schema>
  items?: Schema
  anyOf?: readonly Schema[]
  oneOf?: readonly Schema[]
  allOf?: readonly Schema[]
  $ref?: string
  additionalProperties?: boolean | Schema
}

type Content = Record<string, { schema: Schema }>

interface Operation {
  operationId: string
  'x-scope'?: string
  parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[]
  requestBody?: { required?: boolean; content: Content }
  responses: Record<string, { $ref?: string; headers?: object; content?: Content; 'x-error-codes'?: readonly string[] }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  webhooks: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Operation['responses'] }
}

function apiFacts(): string[] {
  const built = buildOpenApiDocument(routes, {
    publicUrl: 'http://localhost:8080',
    realm: 'sandbox',
    webhookRetrySeconds: defaultWebhookRetrySeconds,
  })
  const { paths, webhooks, components } = JSON.parse(JSON.stringify(built)) as Document
  const problem = schemaFacts(components.schemas.Problem ?? {}, 'problem', components.schemas)
  const operations = [paths, webhooks].flatMap((operations) =>
    Object.entries(operations).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, operation]) =>
        operationFacts(operation, components).map((fact) => `api ${method.toUpperCase()} ${path} ${fact}`),
      ),
    ),
  )
  // Generated clients use the names of schemas as names of types.
  const names = Object.keys(components.schemas).map((name) => `schema ${name}`)
  return [...problem, ...operations, ...names]
}

function operationFacts(operation: Operation, { schemas: named, responses: shared }: Document['components']): string[] {
  const scope = operation['x-scope']
  const parameters = (operation.parameters ?? []).flatMap(({ name, in: place, required, schema }) =>
    schemaFacts(schema, `${place} ${name}${required === true ? '' : '?'}`, named),
  )
  const body = operation.requestBody
  const request = contentFacts(body?.content, body?.required === true ? 'request' : 'request?', named)
  const responses = Object.entries(operation.responses).flatMap(([status, response]) => {
    const { headers, content, ...more } = shared[response.$ref?.split('/').at(-1) ?? ''] ?? response
    return [
      `${status} codes: ${(more['x-error-codes'] ?? []).join(', ')}`,
      `${status} headers: ${Object.keys(headers ?? {}).join(', ')}`,
      ...contentFacts(content, status, named),
    ]
  })
  return [
    `is ${operation.operationId}${scope === undefined ? '' : `, scope ${scope}`}`,
    ...parameters,
    ...request,
    ...responses,
  ]
}

function contentFacts(content: Content | undefined, prefix: string, named: Record<string, Schema>): string[] {
  return Object.entries(content ?? {}).flatMap(([mediaType, { schema }]) => {
    // Every error of every operation has the same schema, so do not repeat the schema's facts for each of them.
    if (schema.$ref?.endsWith('/Problem') === true) return [`${prefix} ${mediaType}: Problem`]
    return schemaFacts(schema, `${prefix} ${mediaType} `, named)
  })
}

/** Returns one line for each value that a schema describes: its path, type, format and, for an enumeration, its values. */
function schemaFacts(schema: Schema, path: string, named: Record<string, Schema>): string[] {
  if (schema.$ref !== undefined) {
    const target = named[schema.$ref.split('/').at(-1) ?? '']
    if (target === undefined) throw new Error(`${schema.$ref} is not a named schema`)
    return schemaFacts(target, path, named)
  }
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  const own = [
    schema.const === undefined
      ? (schema.enum ?? [])
          .filter((value) => value !== null)
          .map((value) => JSON.stringify(value))
          .join('|')
      : JSON.stringify(schema.const),
    [schema.type ?? []]
      .flat()
      .filter((type, _, types) => type !== 'null' || types.length === 1)
      .join('|'),
    schema.format ?? '',
  ].filter((text) => text !== '')
  const orNull = schema.type?.includes('null') === true && schema.type !== 'null' ? [`${path}: null`] : []
  const properties = Object.entries(schema.properties ?? {}).flatMap(([name, property]) =>
    schemaFacts(property, `${path}.${name}${schema.required?.includes(name) === true ? '' : '?'}`, named),
  )
  const items = schema.items === undefined ? [] : schemaFacts(schema.items, `${path}[]`, named)
  return [
    ...(own.length === 0 ? [] : [`${path}: ${own.join(' ')}`]),
    ...orNull,
    ...parts.flatMap((part) => schemaFacts(part, path, named)),
    ...properties,
    ...items,
  ]
}

function errorFacts(): string[] {
  return Object.entries(errorResponses).map(([code, { status }]) => `error ${code} ${status}`)
}

function settingFacts(): string[] {
  const read: string[] = []
  readEnvironment(new Proxy({}, { get: (_, name) => void read.push(String(name)) }))
  return read.map((name) => `setting ${name}`)
}

function commandFacts(): string[] {
  const factsOf = (command: Command, name: string): string[] => [
    `command ${name}`,
    ...command.registeredArguments.map(
      (argument) => `command ${name} <${argument.name()}${argument.required ? '' : '?'}>`,
    ),
    ...command.options.map(({ flags, mandatory }) => `command ${name} ${flags}${mandatory ? ' required' : ''}`),
    ...command.commands.flatMap((each) => factsOf(each, `${name} ${each.name()}`)),
  ]
  return factsOf(createProgram(), 'housebill')
}

async function metricFacts(): Promise<string[]> {
  const metrics = createMetrics({
    upstreams: () => [],
    pool: { totalCount: 0, idleCount: 0, waitingCount: 0 },
    mails: createMailCounts(),
    webhooks: () => ({
      attempts: { accepted: 0, unverified: 0, failed: 0, gone: 0 },
      attemptSeconds: 0,
      sending: 0,
      ready: 0,
      backlog: { undispatchedSeconds: 0, overdueSeconds: 0, active: 0, failing: 0, disabled: 0 },
    }),
  })
  const text = await metrics.render()
  const names = [...text.matchAll(/^# TYPE (\S+ \S+)$/gm)].map(([, metric]) => `metric ${metric}`)
  const labels = [...text.matchAll(/^(housebill_\w+\{[^}]*\})/gm)].map(([, sample]) => `metric ${sample}`)
  return [...names, ...labels]
}

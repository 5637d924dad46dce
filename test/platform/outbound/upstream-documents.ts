import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export type JsonSchema = Record<string, unknown>

interface Parameter {
  name: string
  in: 'query' | 'header'
  required?: boolean
  schema: JsonSchema
}

interface DocumentedAnswer {
  headers?: Record<string, unknown>
  content: Record<string, { schema: JsonSchema; examples?: Record<string, { value: unknown }> }>
}

/** A GET operation that a document under docs/upstreams describes, with every reference resolved. */
export interface DocumentedOperation {
  parameters: readonly Parameter[]
  responses: Readonly<Record<string, DocumentedAnswer>>
}

export interface UpstreamDocument {
  info: { description: string }
  paths: Record<string, { get: DocumentedOperation }>
}

/** Reads `docs/upstreams/<name>.openapi.yaml` with the tool that also lints it. */
export async function readUpstreamDocument(name: string): Promise<UpstreamDocument> {
  const folder = await mkdtemp(join(tmpdir(), 'housebill-upstreams-'))
  try {
    const output = join(folder, 'document.json')
    await promisify(execFile)(
      join(root, 'node_modules', '.bin', 'redocly'),
      ['bundle', `docs/upstreams/${name}.openapi.yaml`, '--dereferenced', '--ext', 'json', '-o', output],
      { cwd: root, env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' } },
    )
    return JSON.parse(await readFile(output, 'utf8'))
  } finally {
    await rm(folder, { recursive: true })
  }
}

const ajv = new Ajv2020({ strict: false, coerceTypes: 'array' })
addFormats.default(ajv)
const strictAjv = new Ajv2020({ strict: false })
addFormats.default(strictAjv)

/** What the document's schema finds wrong with a response body; undefined if it is valid. */
export function bodyFault(schema: JsonSchema, body: unknown): string | undefined {
  return faultOf(strictAjv.compile(schema), body)
}

/** Like `bodyFault`, but for the value of a query parameter, which is always text. */
function queryFault(schema: JsonSchema, value: unknown): string | undefined {
  const wrapped = { type: 'object', properties: { value: schema } }
  return faultOf(ajv.compile(wrapped), { value })
}

function faultOf(validate: ValidateFunction, value: unknown): string | undefined {
  return validate(value) ? undefined : JSON.stringify(validate.errors)
}

/** The parameters that are missing from a query, unknown to the document or invalid; empty if the query is valid. */
export function queryFaults({ parameters }: DocumentedOperation, query: URLSearchParams): string[] {
  const documented = parameters.filter((parameter) => parameter.in === 'query')
  const unknown = [...new Set(query.keys())].filter((name) => !documented.some((each) => each.name === name))
  const wrong = documented.flatMap(({ name, required, schema }) => {
    const values = query.getAll(name)
    if (values.length === 0) return required === true ? [`${name} is missing`] : []
    const fault = queryFault(schema, schema.type === 'array' ? values : values[0])
    return fault === undefined ? [] : [`${name}: ${fault}`]
  })
  return [...unknown.map((name) => `${name} is not documented`), ...wrong]
}

/**
 * Reduces a schema to what can be compared: without descriptions, with literal unions as enumerations, with our day
 * format as `date`, and without the uniqueness rule that JSON Schema cannot express.
 */
export function toComparableSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toComparableSchema)
  if (typeof schema !== 'object' || schema === null) return schema
  const { description: _, distinctBy: __, anyOf, ...rest } = schema as Record<string, unknown>
  if (Array.isArray(anyOf)) return { type: 'string', enum: anyOf.map((each: { const: unknown }) => each.const) }
  return Object.fromEntries(
    Object.entries(rest)
      .map(([key, value]) => [key, value === 'calendar-day' ? 'date' : toComparableSchema(value)] as const)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
}

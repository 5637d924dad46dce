import { readFileSync } from 'node:fs'
import { dereference } from '../../src/http/openapi/dereference.ts'

/** The parts of JSON Schema that the API document uses. */
export interface JsonSchema {
  type?: string | readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  oneOf?: readonly JsonSchema[]
  anyOf?: readonly JsonSchema[]
  properties?: Readonly<Record<string, JsonSchema>>
  required?: readonly string[]
  minProperties?: number
  additionalProperties?: boolean
  items?: JsonSchema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  format?: string
}

/** The parts of an operation in the API document from which requests are generated. */
export interface Operation {
  operationId: string
  method: string
  /** The path, with its parameter in braces. */
  path: string
  /** The document's description of the path parameter; undefined if the path has none. */
  idOf: string | undefined
  query: readonly { name: string; required: boolean; schema: JsonSchema }[]
  takesKey: boolean
  needsToken: boolean
  body: { schema: JsonSchema; required: boolean; mediaTypes: readonly string[] } | undefined
}

interface Described {
  operationId: string
  security?: readonly unknown[]
  parameters?: readonly { name: string; in: string; required?: boolean; description?: string; schema: JsonSchema }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: JsonSchema }> }
}

const written = JSON.parse(readFileSync(new URL('../../openapi/partner-api.json', import.meta.url), 'utf8')) as object
const document = dereference(written, written) as {
  paths: Record<string, Record<string, Described>>
  components: { schemas: { Problem: JsonSchema } }
}

/** The operations of the committed API document, in the order in which it lists them. */
export const operations: readonly Operation[] = Object.entries(document.paths).flatMap(([path, byMethod]) =>
  Object.entries(byMethod).map(([method, described]) => readOperation(path, method, described)),
)

export const problemSchema: JsonSchema = document.components.schemas.Problem

function readOperation(path: string, method: string, described: Described): Operation {
  const { operationId, security, parameters = [], requestBody } = described
  const [first] = Object.values(requestBody?.content ?? {})
  return {
    operationId,
    method: method.toUpperCase(),
    path,
    idOf: parameters.find((parameter) => parameter.in === 'path')?.description,
    query: parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, required = false, schema }) => ({ name, required, schema })),
    takesKey: parameters.some(({ name }) => name === 'Idempotency-Key'),
    needsToken: (security ?? []).some((each) => Object.hasOwn(each as object, 'accessToken')),
    body:
      first === undefined || requestBody === undefined
        ? undefined
        : {
            schema: first.schema,
            required: requestBody.required ?? false,
            mediaTypes: Object.keys(requestBody.content),
          },
  }
}

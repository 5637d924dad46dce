import { dereference, published } from '../support/openapi-responses.ts'

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

type Api = 'partner' | 'operator'

/** The parts of an operation in an API document from which requests are generated. */
export interface Operation {
  operationId: string
  method: string
  api: Api
  /** The path, with its parameters in braces. */
  path: string
  /**
   * What the id in the path is of: in the partner API, as the document describes it; undefined if the path has none.
   */
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

interface ApiDocument {
  paths: Record<string, Record<string, Described>>
  components: { schemas: { Problem: JsonSchema; OperatorProblem: JsonSchema } }
}

function readDocument(api: Api): ApiDocument {
  return dereference(published[api], published[api]) as ApiDocument
}

/** The operations of the API documents, in the order in which these list them. */
export const operations: readonly Operation[] = (['partner', 'operator'] as const).flatMap((api) =>
  Object.entries(readDocument(api).paths).flatMap(([path, byMethod]) =>
    Object.entries(byMethod).map(([method, described]) => readOperation(api, path, method, described)),
  ),
)

/** The errors of each API: the partner API's document lacks the codes that only the operator's has. */
export const problemSchemas: Record<'partner' | 'operator', JsonSchema> = {
  partner: readDocument('partner').components.schemas.Problem,
  operator: readDocument('operator').components.schemas.OperatorProblem,
}

function readOperation(api: Api, path: string, method: string, described: Described): Operation {
  const { operationId, security, parameters = [], requestBody } = described
  const [first] = Object.values(requestBody?.content ?? {})
  return {
    operationId,
    method: method.toUpperCase(),
    api,
    path,
    idOf: parameters.find((parameter) => parameter.in === 'path')?.[api === 'partner' ? 'description' : 'name'],
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

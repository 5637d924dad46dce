import { exampleBody } from './example-value.ts'
import type { Call, Parameter } from './reference.ts'

/** The maximum length of a body that is shown on one line. */
const oneLine = 60

/**
 * The operation as a curl command, with `$API` and `$TOKEN` set as on the contents page, and ids as variables such as `$QUOTE_ID`.
 * Undefined if the body has no readable example.
 */
export function exampleCall({ method, path, operation }: Call, baseUrl: string): string | undefined {
  const { parameters = [], requestBody } = operation
  const schema = requestBody?.content['application/json']?.schema
  const body = schema === undefined ? undefined : exampleBody(schema)
  if (schema !== undefined && body === undefined) return undefined
  const needsToken = operation.security.some((scheme) => 'accessToken' in scheme)
  const isPlain = method === 'GET' || (method === 'POST' && body !== undefined)
  const parts = [
    `curl -s ${isPlain ? '' : `-X ${method} `}${urlOf(path, parameters, baseUrl)}`,
    needsToken ? '-H "Authorization: Bearer $TOKEN"' : undefined,
    body === undefined ? undefined : "-H 'Content-Type: application/json'",
    body === undefined ? undefined : `-d '${quoted(body)}'`,
  ]
  return parts.filter((part) => part !== undefined).join(' \\\n  ')
}

function urlOf(path: string, parameters: readonly Parameter[], baseUrl: string): string {
  const named = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === 'path' && each.name === name)
    return `$${variableFor(parameter?.description ?? name)}`
  })
  const address = named.startsWith('/partner-api/') ? named.replace('/partner-api', '$API') : `${baseUrl}${named}`
  const query = new URLSearchParams()
  for (const { name, schema, ...parameter } of parameters)
    if (parameter.in === 'query' && parameter.required) query.set(name, String(schema.examples?.[0] ?? ''))
  return query.size === 0 ? address : `"${address}?${query}"`
}

/** The variable for a parameter, such as QUOTE_ID if its description mentions quoteId. If it mentions several ids, the last one is used. */
function variableFor(description: string): string {
  const name = description.match(/\b[a-z]+(?:[A-Z][a-z]+)*(?:Id|Uid)\b/g)?.at(-1) ?? 'id'
  return name.replaceAll(/[A-Z]/g, (capital) => `_${capital}`).toUpperCase()
}

function quoted(body: unknown): string {
  const short = JSON.stringify(body)
  const text = short.length <= oneLine ? short : JSON.stringify(body, null, 2).replaceAll('\n', '\n  ')
  return text.replaceAll("'", String.raw`'\''`)
}

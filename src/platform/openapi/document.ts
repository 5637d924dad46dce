import type { Operation } from '../http/route.ts'
import { sharedHeaders } from './components.ts'
import { loadExamples } from './examples.ts'
import { type DocumentParts, operationOf } from './operation.ts'
import { createProblemResponses, type DocumentedErrors } from './problem-responses.ts'
import { createSchemaWriter } from './schema-writer.ts'

/** An OpenAPI 3.1 document: plain JSON. */
export type OpenApiDocument = Record<string, unknown>

/** What one of the two APIs says of itself. */
interface DescribedApi {
  /** What comes before the paths of its operations. */
  prefix: string
  title: string
  summary: string
  description: string
  tags: readonly { name: string; description: string }[]
  /** Paths that are not in its route table. */
  otherPaths?: (parts: DocumentParts) => Record<string, Record<string, unknown>>
  /** Headers that every operation in its route table accepts. */
  headers?: readonly object[]
  webhooks: (parts: DocumentParts) => Record<string, unknown>
  /** How clients get tokens: descriptions, where, and what each scope allows. */
  tokens: { accessToken: string; oauth2: string; tokenUrl: string; scopes: Readonly<Record<string, string>> }
  otherSecuritySchemes?: Readonly<Record<string, object>>
}

/** Builds the document of an API from its route table, with the schemas that validate requests. */
export function buildDocument(
  routes: readonly Operation[],
  { publicUrl, realm, errors }: { publicUrl: string; realm: 'sandbox' | 'live'; errors: DocumentedErrors },
  { prefix, title, summary, description, tags, otherPaths, headers, webhooks, tokens, ...api }: DescribedApi,
): OpenApiDocument {
  const examples = loadExamples(publicUrl)
  const parts = {
    writer: createSchemaWriter(),
    problems: createProblemResponses(examples.errors, errors),
    examples,
  }
  parts.writer.write(errors.schema)
  const paths = { ...otherPaths?.(parts) }
  for (const route of routes) {
    const path = `${prefix}${route.path}`
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(parts, route, headers) }
  }
  const license = { name: 'Apache-2.0', identifier: 'Apache-2.0' }
  const { accessToken, oauth2, ...clientCredentials } = tokens
  return {
    openapi: '3.1.1',
    info: { title, version: '0.1.0', summary, description, license },
    servers: [{ url: publicUrl, description: realm, 'x-internal': false }],
    tags,
    security: [{ accessToken: [] }, { oauth2: [] }],
    paths,
    webhooks: webhooks(parts),
    components: {
      schemas: parts.writer.namedSchemas(),
      responses: parts.problems.shared(),
      examples: parts.problems.examples(),
      headers: sharedHeaders,
      securitySchemes: {
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: accessToken },
        oauth2: { type: 'oauth2', description: oauth2, flows: { clientCredentials } },
        ...api.otherSecuritySchemes,
      },
    },
  }
}

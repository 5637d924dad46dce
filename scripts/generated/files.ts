import { readFile } from 'node:fs/promises'
import { operatorRoutes } from '../../src/app/http/operator-routes.ts'
import { routes } from '../../src/app/http/routes.ts'
import { buildOpenApiDocument } from '../../src/app/openapi/document.ts'
import { documentedErrors } from '../../src/app/openapi/problem.schema.ts'
import { buildOperatorDocument } from '../../src/back-office/http/operator-api.ts'
import { defaultWebhookRetrySeconds } from '../../src/platform/config/config.ts'
import { readClientSource } from './clients/described-operations.ts'
import { renderTypeScriptOperations, renderTypeScriptTypes } from './clients/typescript.ts'
import { renderErrorReference } from './error-reference.ts'
import { recordExamples } from './examples/record.ts'

/** A file that is generated from the program. */
export interface GeneratedFile {
  /** The path relative to the repository's root. */
  path: string
  /** Present if git ignores the file. */
  isIgnored?: true
  /** Generates the up-to-date content, which is the same on every machine. */
  generate(): Promise<string>
}

/** The default address of a sandbox, so that the committed document works with a new sandbox. */
const publicUrl = 'http://localhost:8080'

const server = { publicUrl, realm: 'sandbox', webhookRetrySeconds: defaultWebhookRetrySeconds } as const
const apiDocument = () => buildOpenApiDocument(routes, server)
const clientSource = () => readClientSource(JSON.parse(JSON.stringify(apiDocument())))

/** Examples are committed once, as they were recorded. Servers publish their documents with them. */
const withoutExamples = (name: string, value: unknown) => (/^examples?$/.test(name) ? undefined : value)

export const generatedFiles: readonly GeneratedFile[] = [
  // First, because the API documents contain the examples.
  {
    path: 'src/platform/openapi/examples.json',
    generate: async () => `${JSON.stringify(await recordExamples(), null, 2)}\n`,
  },
  {
    path: 'openapi/partner-api.json',
    generate: async () => `${JSON.stringify(apiDocument(), withoutExamples, 2)}\n`,
  },
  {
    path: 'openapi/operator-api.json',
    isIgnored: true,
    generate: async () =>
      `${JSON.stringify(buildOperatorDocument(operatorRoutes, { ...server, errors: documentedErrors }), null, 2)}\n`,
  },
  { path: 'clients/typescript/src/api-types.ts', generate: async () => renderTypeScriptTypes(clientSource()) },
  { path: 'clients/typescript/src/operations.ts', generate: async () => renderTypeScriptOperations(clientSource()) },
  { path: 'docs/errors.md', generate: async () => renderErrorReference() },
]

/** The committed content; undefined if the file is missing. */
export async function readCommitted(path: string): Promise<string | undefined> {
  try {
    return await readFile(new URL(`../../${path}`, import.meta.url), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

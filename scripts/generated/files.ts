import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { operatorRoutes } from '../../src/app/http/operator-routes.ts'
import { routes } from '../../src/app/http/routes.ts'
import { buildOpenApiDocument } from '../../src/app/openapi/document.ts'
import { operatorApiErrors } from '../../src/app/openapi/problem.schema.ts'
import { buildOperatorDocument } from '../../src/back-office/http/operator-api.ts'
import { defaultWebhookRetrySeconds } from '../../src/platform/config/config.ts'
import { readClientSource } from './clients/described-operations.ts'
import { renderTypeScriptOperations, renderTypeScriptTypes } from './clients/typescript.ts'
import { renderDashboard } from './dashboard.ts'
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

const root = new URL('../../', import.meta.url)
const clientFolder = new URL('clients/typescript/src/', root)

/** The default address of a sandbox, so that the committed document works with a new sandbox. */
const publicUrl = 'http://localhost:8080'

const server = { publicUrl, realm: 'sandbox', webhookRetrySeconds: defaultWebhookRetrySeconds } as const
const apiDocument = () => buildOpenApiDocument(routes, server)
const clientSource = () => readClientSource(JSON.parse(JSON.stringify(apiDocument())))

/** Examples are committed once, as they were recorded. Servers publish their documents with them. */
const withoutExamples = (name: string, value: unknown) => (/^examples?$/.test(name) ? undefined : value)

/** The modules of the client. That of types only is its own declaration. */
const modules = globSync('*.ts', { cwd: clientFolder })
  .map((file) => file.replace(/\.ts$/, ''))
  .filter((name) => !['api-types', 'entry'].includes(name))
  .sort()

/** The compiler's declarations of the client in one file, which exports what `entry.ts` does. */
async function declarations(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'housebill-types-'))
  try {
    const source = ['--project', 'clients/typescript', '--rootDir', 'clients/typescript/src']
    const args = [...source, '--declaration', '--emitDeclarationOnly', '--noEmit', 'false']
    await promisify(execFile)('tsc', [...args, '--outDir', folder], { cwd: fileURLToPath(root) })
    const read = (name: string) => readFile(join(folder, `${name}.d.ts`), 'utf8')
    const text = (await Promise.all(modules.map(read))).join('')
    const used = [...text.matchAll(/^import type \{ (.*) \} from '\.\/api-types\.ts';$/gm)]
    const types = new Set(used.flatMap(([, names = '']) => names.split(', ')))
    const own = text.replaceAll(/^import .*\n/gm, '').replaceAll(/^export /gm, '')
    const exported = (await read('entry')).replaceAll(/ from '\.\/(?!api-types)[\w-]+\.ts'/g, '')
    const imported = `import type { ${[...types].sort().join(', ')} } from './api-types.js';\n`
    return imported + exported.replaceAll("'./api-types.ts'", "'./api-types.js'") + own
  } finally {
    await rm(folder, { recursive: true })
  }
}

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
      `${JSON.stringify(buildOperatorDocument(operatorRoutes, { ...server, errors: operatorApiErrors }), null, 2)}\n`,
  },
  { path: 'clients/typescript/src/api-types.ts', generate: async () => renderTypeScriptTypes(clientSource()) },
  { path: 'clients/typescript/src/operations.ts', generate: async () => renderTypeScriptOperations(clientSource()) },
  { path: 'clients/typescript/generated/entry.d.ts', generate: declarations },
  { path: 'deploy/monitoring/dashboard.json', generate: async () => renderDashboard() },
  { path: 'docs/generated/errors.md', generate: async () => renderErrorReference() },
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

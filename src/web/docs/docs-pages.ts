import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance } from 'fastify'
import { type CompressedFile, serveCompressed } from '../../pages/compressed-file.ts'
import { raw } from '../../pages/html.ts'
import { serveAssets, serveLook } from '../../pages/look.ts'
import type { OpenApiDocument } from '../../platform/openapi/document.ts'
import { barStyles, docsLook, sendDocsPage, sendReference } from './docs-frame.ts'
import { type Guide, guidesPage, loadGuides } from './guides/guides.ts'
import { type DocumentedOperation, listOperations } from './operation-links.ts'

const script = 'text/javascript; charset=utf-8'
const drawing = 'image/svg+xml'

/** The files that pages load, and where they are. */
const files: Readonly<Record<string, { contentType: string; url: URL }>> = {
  '/docs/assets/reference.js': { contentType: script, url: new URL('./assets/reference.js', import.meta.url) },
  '/docs/assets/quote-life-cycle.svg': {
    contentType: drawing,
    url: new URL('../../../docs/quote-life-cycle.svg', import.meta.url),
  },
  '/favicon.svg': { contentType: drawing, url: new URL('./assets/favicon.svg', import.meta.url) },
}

/**
 * Serves the API document and, below `/docs`, what people read: the reference, which a renderer makes of the document
 * in the browser, and the guides. Reads the guides immediately, so that a missing one prevents startup; makes
 * everything else at its first request.
 */
export function registerDocsRoutes(
  app: FastifyInstance,
  buildApiDocument: () => OpenApiDocument,
  { realm, publicUrl }: { realm: 'sandbox' | 'live'; publicUrl: string },
): void {
  let built: OpenApiDocument | undefined
  const document = () => {
    built ??= buildApiDocument()
    return built
  }
  registerApiDocument(app, document)
  serveLook(app, docsLook)
  serveAssets(app, [barStyles])
  for (const [path, { contentType, url }] of Object.entries(files))
    serveCompressed(app, path, { contentType, render: () => readFile(url, 'utf8') })
  serveCompressed(app, '/docs/assets/renderer.js', rendererScript)
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/favicon.svg', 308))
  app.get('/docs', (_request, reply) => sendReference(reply, { mayTry: realm === 'sandbox' }))

  const operations = () => listOperations(document())
  const guides = loadGuides()
  serveCompressed(app, '/llms.txt', {
    contentType: 'text/markdown; charset=utf-8',
    render: () => llmsText(publicUrl, guides, operations()),
  })
  app.get('/docs/guides', (_request, reply) => sendDocsPage(reply, guidesPage(guides)))
  let bodies: Promise<Record<string, string>> | undefined
  app.get<{ Params: { name: string } }>('/docs/guides/:name', async (request, reply) => {
    const guide = guides.find(({ name }) => name === request.params.name)
    if (guide === undefined) return reply.callNotFound()
    bodies ??= renderInThread('./guides/guide-bodies.ts', { guides, operations: operations() }).then((json) =>
      JSON.parse(json),
    )
    const { [guide.name]: body = '' } = await bodies.catch((error: unknown) => {
      bodies = undefined
      throw error
    })
    return sendDocsPage(reply, {
      title: guide.title,
      trail: [{ href: '/docs/guides', text: 'Guides' }],
      body: raw(body),
    })
  })
  // Where each operation had a page of its own.
  app.get<{ Params: { name: string } }>('/docs/operations/:name', (request, reply) => {
    const operation = operations().find(({ operationId }) => operationId === request.params.name)
    return operation === undefined ? reply.callNotFound() : reply.redirect(operation.href, 308)
  })
}

const rendererScript: CompressedFile = {
  contentType: script,
  render: () => renderInThread('./reference-script.ts'),
}

/** Serves the API document as JSON, as YAML and in OpenAPI 3.0. */
function registerApiDocument(app: FastifyInstance, document: () => OpenApiDocument): void {
  const json = 'application/json; charset=utf-8'
  // As text: copying the document for a thread piece by piece would hold up more requests than writing it as JSON.
  const inThread = (form: string) => () =>
    renderInThread('./document-forms.ts', { form, text: JSON.stringify(document()) })
  const renderings: Record<string, CompressedFile> = {
    '/openapi.json': { contentType: json, render: () => JSON.stringify(document()) },
    '/openapi.yaml': { contentType: 'application/yaml; charset=utf-8', render: inThread('yaml') },
    '/openapi-3.0.json': { contentType: json, render: inThread('openapi-3.0') },
  }
  for (const [path, file] of Object.entries(renderings)) serveCompressed(app, path, file)
}

/** The documentation as one file for language models (https://llmstxt.org): what there is, and every guide in full. */
function llmsText(publicUrl: string, guides: readonly Guide[], operations: readonly DocumentedOperation[]): string {
  const guideList = guides.map(({ href, title, summary }) => `- [${title}](${publicUrl}${href}): ${summary}`)
  const list = operations.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`)
  return `# Housebill

> Sell household bills through an API: look up a UK address, create a quote, add the tenants who share the
> house, and take each through to a contract.

- [The API document](${publicUrl}/openapi.json): OpenAPI 3.1, with examples of every request and response
- [Errors](${publicUrl}/docs/errors): every code, what it means and what to do

## Guides, in the order in which a newcomer reads them

${guideList.join('\n')}

## Operations

${list.join('\n')}

${guides.map(({ markdown }) => markdown.trim()).join('\n\n')}
`
}

/**
 * Runs a script of this folder in a thread of its own and returns the text that it posts: making it would hold up
 * every other request.
 */
function renderInThread(script: `./${string}.ts`, workerData?: unknown): Promise<string> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL(script, import.meta.url), { workerData })
    thread.once('message', resolve)
    thread.once('error', reject)
  })
}

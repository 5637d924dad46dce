import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CompressedFile, sendCompressed, serveCompressed } from '../../pages/compressed-file.ts'
import { escapeHtml } from '../../pages/html.ts'
import { serveAssets, serveLook } from '../../pages/look.ts'
import type { OpenApiDocument } from '../../platform/openapi/document.ts'
import { barStyles, docsLook, markupOfDocsPage, referenceScript, searchScript } from './docs-frame.ts'
import { type DocsPage, type ErrorsByApi, loadDocuments } from './documents.ts'
import { type DocumentedOperation, listOperations } from './operation-links.ts'
import { markdownTwin, type RenderedPage } from './render-markdown.ts'

const drawing = 'image/svg+xml'

/** The drawings that pages show, and where they are. */
const drawings = {
  '/docs/assets/quote-life-cycle.svg': new URL('../../../docs/quote-life-cycle.svg', import.meta.url),
  '/favicon.svg': new URL('./assets/favicon.svg', import.meta.url),
}

const rendererPackage = new URL('../package.json', import.meta.resolve('@scalar/fastify-api-reference'))
const { version }: { version: string } = JSON.parse(readFileSync(rendererPackage, 'utf8'))
/** The version is in its address, because its text is not known before it is made. */
const rendererPath = `/docs/assets/renderer-${version}.js`

interface DocsOptions {
  realm: 'sandbox' | 'live'
  publicUrl: string
  errors: ErrorsByApi
  /** The client id of the developer who is signed in, if somebody is. */
  clientIdOf: (request: FastifyRequest, reply: FastifyReply) => Promise<string | undefined>
  /** The client id of a sandbox on the reader's own machine. */
  clientIdHere: (request: FastifyRequest) => string | undefined
  /** Where the reference gets a token of that sandbox; undefined if an external provider issues them. */
  tokenPath: string | undefined
}

/**
 * Serves the API document and, below `/docs`, what people read: the guides, the errors, and the reference, which a
 * renderer makes of the document in the browser. Reads the guides immediately, so that a missing one prevents startup;
 * makes everything else at its first request.
 */
export function registerDocsRoutes(
  app: FastifyInstance,
  buildApiDocument: () => OpenApiDocument,
  { realm, publicUrl, errors, clientIdOf, clientIdHere, tokenPath }: DocsOptions,
): void {
  let built: OpenApiDocument | undefined
  const document = () => {
    built ??= buildApiDocument()
    return built
  }
  registerApiDocument(app, document)
  serveLook(app, docsLook)
  serveAssets(app, [barStyles, referenceScript, searchScript])
  for (const [path, url] of Object.entries(drawings))
    serveCompressed(app, path, { contentType: drawing, render: () => readFile(url, 'utf8') })
  serveCompressed(app, rendererPath, {
    contentType: referenceScript.contentType,
    render: () => renderInThread('./reference-script.ts'),
    isImmutable: true,
  })
  app.get('/favicon.ico', (_request, reply) => reply.redirect('/favicon.svg', 308))

  const operations = () => listOperations(document())
  const pages = loadDocuments(publicUrl, operations, errors)
  const byPath = new Map(pages.map((page) => [page.path, page]))
  const made = (makes: 'pages' | 'index') =>
    renderInThread('./rendered-pages.ts', { pages, operations: operations(), makes })
  serveCompressed(app, '/docs/search.json', {
    contentType: 'application/json; charset=utf-8',
    render: () => made('index'),
  })
  serveCompressed(app, '/llms.txt', {
    contentType: markdownType,
    render: () => llmsText(publicUrl, pages, operations()),
  })
  let rendered: Promise<Record<string, RenderedPage>> | undefined
  app.get('/docs', (request, reply) => showPage(request, reply, '/docs'))
  app.get('/docs.md', (request, reply) => sendTwin(request, reply, byPath.get('/docs')))
  app.get<{ Params: { '*': string } }>('/docs/*', async (request, reply) => {
    const path = `/docs/${request.params['*']}`.replace(/\/$/, '')
    if (path === '/docs/guides') return reply.redirect('/docs', 308)
    // Where each operation had a page of its own.
    const [, id] = /^\/docs\/operations\/(.+)$/.exec(path) ?? []
    const operation = id === undefined ? undefined : operations().find(({ operationId }) => operationId === id)
    if (operation !== undefined) return reply.redirect(operation.href, 308)
    const source = path.endsWith('.md') ? byPath.get(path.slice(0, -3)) : undefined
    if (source !== undefined) return sendTwin(request, reply, source)
    if (byPath.has(path)) return showPage(request, reply, path)
    if (!(request.headers.accept ?? '').includes('text/html')) return reply.callNotFound()
    return showPage(request, reply.code(404), '/docs', missing)
  })

  async function sendTwin(request: FastifyRequest, reply: FastifyReply, page: DocsPage | undefined) {
    if (page === undefined) return reply.callNotFound()
    const folder = page.path.startsWith('/docs/guides/operator/') ? 'operator/' : ''
    return sendFor(request, reply.type(markdownType), markdownTwin(page.markdown, publicUrl, folder))
  }

  /** Sends a text, with the reader's own client id in its examples, as `write` writes it, if there is one. */
  async function sendFor(request: FastifyRequest, reply: FastifyReply, text: string, write = (id: string) => id) {
    const hasExample = text.search(exampleClientId) >= 0
    const clientId = hasExample ? ((await signedInClientId(request, reply)) ?? clientIdHere(request)) : undefined
    reply.header('Cache-Control', clientId === undefined ? 'no-cache' : 'private, no-cache')
    const own =
      clientId === undefined ? text : text.replaceAll(exampleClientId, (_all, before) => before + write(clientId))
    return sendCompressed(request, reply, own)
  }

  /** People can read the documentation when the database is away. */
  function signedInClientId(request: FastifyRequest, reply: FastifyReply) {
    return clientIdOf(request, reply).catch((error: unknown) => {
      request.log.warn({ err: error }, 'client id of a reader not found')
      return undefined
    })
  }

  /** Sends a page. `above` comes before it, in place of its title. */
  async function showPage(request: FastifyRequest, reply: FastifyReply, path: string, above?: string) {
    rendered ??= made('pages').then((json) => JSON.parse(json))
    const all = await rendered.catch((error: unknown) => {
      rendered = undefined
      throw error
    })
    const [page, body] = [byPath.get(path), all[path]]
    if (page === undefined || body === undefined) return reply.callNotFound()
    const shown = above === undefined ? body : { ...body, markup: body.markup.replace(/<h1.*?<\/h1>/s, above) }
    const own = clientIdHere(request) === undefined ? undefined : tokenPath
    const reference =
      path === '/docs/reference' ? { rendererPath, mayTry: realm === 'sandbox', tokenPath: own } : undefined
    const markup = markupOfDocsPage(reply, pages, page, shown, reference)
    return sendFor(request, reply, markup, escapeHtml)
  }
}

/** Where examples say who calls, in Markdown and in HTML. A command that starts a sandbox chooses a client id. */
const exampleClientId = /(\bexport(?:<\/span>)? SANDBOX_CLIENT_ID=)(?:sb|live)_(?:example\b|…)/g

const markdownType = 'text/markdown; charset=utf-8'
const missing = '<h1>There is no page here</h1><p>Search for it, or find it in the list:</p>'

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

/** What there is, for language models (https://llmstxt.org): every page as Markdown, and every operation. */
function llmsText(publicUrl: string, pages: readonly DocsPage[], operations: readonly DocumentedOperation[]): string {
  const list = pages.map(({ path, title, summary }) => `- [${title}](${publicUrl}${path}.md): ${summary}`)
  return `# Housebill

> Sell household bills through an API: look up a UK address, create a quote, add the tenants who share the
> house, and take each through to a contract.

- [The API document](${publicUrl}/openapi.json): OpenAPI 3.1, with examples of every request and response

## Pages

${list.join('\n')}

## Operations

${operations.map(({ method, path, summary }) => `- \`${method} ${path}\`: ${summary}`).join('\n')}
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

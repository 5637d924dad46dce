import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { type Page, sendPage } from '../../pages/send-page.ts'
import { registerApiDocument } from './api-document.ts'
import { guidePage, loadGuides } from './guides/guides.ts'
import { contentsPage } from './reference/contents-page.ts'
import { eventPage } from './reference/event-page.ts'
import { operationPage } from './reference/operation-page.ts'
import { createOperationPageFinder } from './reference/prose.ts'
import { readReference } from './reference/reference.ts'

/**
 * Serves the API document and, below `/docs`, the same document as pages: contents, operations, events and guides. Reads the sources
 * immediately, so that a missing guide prevents startup; builds each page on its first request.
 */
export function registerDocsRoutes(app: FastifyInstance, document: OpenApiDocument): void {
  registerApiDocument(app, document)
  app.get('/', (_request, reply) => reply.redirect('/docs'))
  const reference = readReference(document)
  const { baseUrl, groups, messages } = reference
  const findPage = createOperationPageFinder(reference)
  const guides = loadGuides()
  const contents = contentsPage(reference, guides)
  app.get('/docs', (_request, reply) => sendPage(reply, contents))
  servePages(
    app,
    '/docs/guides',
    guides.map((guide) => [guide.name, () => guidePage(guide, guides, findPage)]),
  )
  servePages(
    app,
    '/docs/events',
    messages.map((message) => [message.type, () => eventPage(message, messages, findPage)]),
  )
  servePages(
    app,
    '/docs/operations',
    groups.flatMap((group) =>
      group.calls.map((call) => [call.operation.operationId, () => operationPage(call, group, { baseUrl, findPage })]),
    ),
  )
}

/** Serves each page under its name and builds it only once. */
function servePages(app: FastifyInstance, under: string, pages: readonly [name: string, make: () => Page][]): void {
  const makers = new Map(pages)
  const made = new Map<string, Page>()
  app.get<{ Params: { name: string } }>(`${under}/:name`, (request, reply) => {
    const { name } = request.params
    const page = made.get(name) ?? makers.get(name)?.()
    if (page === undefined) return reply.callNotFound()
    made.set(name, page)
    return sendPage(reply, page)
  })
}

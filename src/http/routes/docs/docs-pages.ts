import type { FastifyInstance } from 'fastify'
import type { OpenApiDocument } from '../../openapi/document.ts'
import { html } from '../../pages/html.ts'
import { sendPage } from '../../pages/send-page.ts'

interface Operation {
  operationId: string
  summary: string
  tags: [string]
  description?: string
}

/** `/openapi.json`, and `/docs`: every operation in a line each, from the same document. */
export function registerDocsRoutes(app: FastifyInstance, document: OpenApiDocument): void {
  const json = JSON.stringify(document)
  app.get('/openapi.json', (_request, reply) =>
    reply.header('Content-Type', 'application/json; charset=utf-8').send(json),
  )
  app.get('/', (_request, reply) => reply.redirect('/docs'))
  const operations = Object.entries(document.paths as Record<string, Record<string, Operation>>).flatMap(
    ([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags[0])
  const body = html`<h1>Housebill partner API</h1>
<p>The machine-readable reference is <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). Every <a href="/docs/errors">error code</a> has a page of its own.</p>
<p>Webhooks, what was sent to them and events can be looked at and put right in the <a href="/console">console</a>.</p>
${[...byTag].map(
  ([tag, ofTag]) =>
    html`<h2>${tag}</h2><dl class="operations">${ofTag.map(
      ({ method, path, operation }) =>
        html`<dt id="${operation.operationId}"><code><b>${method}</b> ${path}</code></dt><dd>${operation.summary}.${
          operation.description === undefined
            ? ''
            : html` <span class="quiet">${operation.description.replaceAll('`', '')}</span>`
        }</dd>`,
    )}</dl>`,
)}`
  app.get('/docs', (_request, reply) => sendPage(reply, { title: 'Partner API', body }))
}

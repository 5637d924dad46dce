import type { FastifyInstance } from 'fastify'
import type { ErrorResponse } from '../../platform/http/errors/error-response.ts'
import { errorResponses, isErrorCode } from '../../platform/http/errors/error-responses.ts'
import { html } from '../../platform/http/pages/html.ts'
import { scrollBox } from '../../platform/http/pages/scroll-box.ts'
import { sendDocsPage } from './docs-frame.ts'

/** The pages behind every problem's `type` URL, and their index, built from the error table. */
export function registerErrorPages(app: FastifyInstance): void {
  const rows = Object.entries(errorResponses).map(
    ([code, { status, title }]) =>
      html`<tr><th scope="row">${status}</th><td><a href="/docs/errors/${code}"><code>${code}</code></a><br>${title}</td></tr>`,
  )
  app.get('/docs/errors', (_request, reply) =>
    sendDocsPage(reply, {
      title: 'Errors',
      body: html`<h1>Errors</h1><p>Every error is a problem document (RFC 9457) with a stable <code>code</code>. Only token requests return <code>{error, error_description}</code>.</p>
${scrollBox('Errors', html`<table class="statuses"><thead><tr><th scope="col">Status</th><th scope="col">Code and meaning</th></tr></thead><tbody>${rows}</tbody></table>`)}`,
    }),
  )
  app.get<{ Params: { code: string } }>('/docs/errors/:code', (request, reply) => {
    const { code } = request.params
    if (!isErrorCode(code)) return reply.callNotFound()
    return sendDocsPage(reply, {
      title: code,
      trail: [{ href: '/docs/errors', text: 'Errors' }],
      body: errorBody(code, errorResponses[code]),
    })
  })
}

function errorBody(code: string, { status, title, meaning, remedy }: ErrorResponse) {
  return html`<h1>${title}</h1><p><code>${code}</code> · HTTP ${status}</p>
<h2>What it means</h2><p>${meaning}</p><h2>What to do</h2><p>${remedy}</p>`
}

import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { htmlDocument, setDocumentHeaders } from '../../pages/document.ts'
import { sendPage } from '../../pages/frame.ts'
import { type Html, html, scrollBox } from '../../pages/html.ts'
import { assetOf, createLook } from '../../pages/look.ts'
import type { ErrorResponse } from '../../platform/http/errors/error-response.ts'
import type { ErrorResponses } from '../../platform/http/errors/problem.ts'
import type { ErrorCode } from '../../platform/kernel/errors.ts'

const sections = [
  { href: '/docs/guides/quickstart', text: 'Quickstart' },
  { href: '/docs', text: 'API reference' },
  { href: '/docs/guides', text: 'Guides' },
  { href: '/docs/errors', text: 'Errors' },
  { href: '/workplace/developers/sign-in', text: 'Developers' },
] as const

/** How the pages of the documentation look. */
export const docsLook = createLook({ moreCss: readFileSync(new URL('./assets/docs.css', import.meta.url), 'utf8') })

function navigation(links: readonly { href: string; text: string }[]): Html {
  return html`<a href="/docs">Housebill</a><nav aria-label="Documentation"><ul>${links.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ul></nav>`
}

/** A page of the documentation. */
export interface DocsPage {
  title: string
  /** The pages above this one, for the breadcrumb, starting at the top. */
  trail?: readonly { href: string; text: string }[]
  body: Html
}

/** Sends a page of the documentation: the common frame, and a button on each example that copies it. */
export function sendDocsPage(reply: FastifyReply, { title, trail, body }: DocsPage): FastifyReply {
  const { css, script } = docsLook
  const header = navigation(sections)
  const frame = { siteName: 'Housebill', cssPath: css.path, scriptPath: script.path, header, isPublic: true }
  return sendPage(reply, frame, { title, body: html`${trail && trailOf(trail)}${body}`, isWide: true })
}

/** The way from the top to a page, as links. */
function trailOf(trail: NonNullable<DocsPage['trail']>): Html {
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${trail.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ol></nav>`
}

/**
 * Sends the reference, which a script shows. In a sandbox, its readers can send requests to this server. The page has
 * only the styles of its header, because others would change what the renderer shows, which brings landmarks of its
 * own: its main part and, on phones, a banner. The renderer makes its styles itself.
 */
export function sendReference(reply: FastifyReply, { mayTry }: { mayTry: boolean }): FastifyReply {
  const { markup } = htmlDocument({
    title: 'API reference · Housebill',
    head: html`<link rel="stylesheet" href="${barStyles.path}">`,
    body: html`<section class="bar" aria-label="Housebill">${navigation(sections)}</section><noscript><p>The reference needs JavaScript. The <a href="/docs/guides">guides</a> do not, and <a href="/openapi.json">openapi.json</a> has everything for tools.</p></noscript>
<div id="reference" data-try-it="${mayTry ? 'yes' : 'no'}"></div><script src="/docs/assets/renderer.js"></script><script src="/docs/assets/reference.js"></script>`,
  })
  return setDocumentHeaders(reply, {
    'script-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'connect-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self' data:",
  }).send(markup)
}

/** The header of the reference, in the colours that the renderer has chosen. */
export const barStyles = assetOf(
  `:root{--scalar-custom-header-height:3.5rem}body{margin:0}
.bar{position:sticky;top:0;z-index:20;box-sizing:border-box;height:3.5rem;padding:0 1.25rem;display:flex;align-items:center;gap:.2rem 1rem;white-space:nowrap;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;background:var(--scalar-background-1);color:var(--scalar-color-1);border-bottom:1px solid var(--scalar-border-color)}
.bar a{color:inherit;text-decoration:none}.bar>a{font-weight:650}.bar ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:0;padding:0}
@media(max-width:44rem){:root{--scalar-custom-header-height:6.5rem}.bar{height:6.5rem;flex-wrap:wrap;align-content:center}}`,
  'css',
  'text/css; charset=utf-8',
)

/** The pages behind every problem's `type` URL, and their index, built from the error table. */
export function registerErrorPages(app: FastifyInstance, errorResponses: ErrorResponses): void {
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
    if (!Object.hasOwn(errorResponses, code)) return reply.callNotFound()
    return sendDocsPage(reply, {
      title: code,
      trail: [{ href: '/docs/errors', text: 'Errors' }],
      body: errorBody(code, errorResponses[code as ErrorCode]),
    })
  })
}

function errorBody(code: string, { status, title, meaning, remedy }: ErrorResponse) {
  return html`<h1>${title}</h1><p><code>${code}</code> · HTTP ${status}</p>
<h2>What it means</h2><p>${meaning}</p><h2>What to do</h2><p>${remedy}</p>`
}

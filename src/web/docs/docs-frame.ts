import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html, raw, scrollBox } from '../../pages/html.ts'
import { type Page, pageDocument, sendHtml, trailOf } from '../../pages/plain-page.ts'
import type { ErrorResponse } from '../../platform/http/errors/error-response.ts'
import { errorResponses, isErrorCode } from '../../platform/http/errors/error-responses.ts'

const sections = [
  { href: '/docs/guides/quickstart', text: 'Quickstart' },
  { href: '/docs', text: 'API reference' },
  { href: '/docs/guides', text: 'Guides' },
  { href: '/docs/errors', text: 'Errors' },
  { href: '/console', text: 'Console' },
] as const

const style = raw(`<style>
header nav ul{align-items:baseline}.operations dd{overflow-wrap:anywhere}header nav:not(.trail) a{font-weight:500}
button{font:inherit;font-size:.85rem;padding:.2rem .6rem;border:1px solid var(--quiet);border-radius:6px;background:var(--paper);color:var(--ink);cursor:pointer}.example{position:relative}.example .copy{position:absolute;top:.5rem;right:.5rem}@media(max-width:40rem){.example:has(.copy)>pre{padding-top:2.75rem}main td:last-child,main td:last-child code{overflow-wrap:anywhere}}main img{width:100%;min-width:40rem;height:auto}li:has(.check){list-style:none}main .trail{margin-bottom:.5rem}.printed{background:none;border-style:dashed}.example:has(+.printed)>pre{margin-bottom:0;border-radius:8px 8px 0 0}.example+.printed{margin-top:0;border-top:0;border-radius:0 0 8px 8px}.next{margin-top:3rem;padding-top:1rem;border-top:1px solid var(--line)}
@media (prefers-color-scheme:dark){:root{color-scheme:dark;--ink:#e6eaee;--quiet:#9aa7b4;--line:#333c46;--accent:#6fd3b8;--paper:#14181d;--wash:#1f262d}main img{background:#fff;border-radius:8px;padding:.5rem}}
</style>`)

const icon = raw('<link rel="icon" href="/favicon.svg" type="image/svg+xml">')

function navigation(links: readonly { href: string; text: string }[]): Html {
  return html`<a href="/docs">Housebill</a><nav aria-label="Documentation"><ul>${links.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ul></nav>`
}

/** Sends a page of the documentation: the common frame, and a button on each example that copies it. */
export function sendDocsPage(reply: FastifyReply, page: Page): FastifyReply {
  const body = html`${trailOf(page)}${page.body}<script src="/docs/assets/copy.js"></script>`
  return sendHtml(reply, pageDocument({ title: page.title, body }, navigation(sections), html`${icon}${style}`), {
    'script-src': "'self'",
    'img-src': "'self'",
    'form-action': "'self'",
  })
}

/**
 * Sends the reference, which a script shows. In a sandbox, its readers can send requests to this server. The page has
 * only the styles of its header, because others would change what the renderer shows, which brings landmarks of its
 * own: its main part and, on phones, a banner.
 */
export function sendReference(reply: FastifyReply, { mayTry }: { mayTry: boolean }): FastifyReply {
  const document = html`<!doctype html>
<html lang="en-GB"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>API reference · Housebill</title>${icon}${barStyle}</head>
<body><section class="bar" aria-label="Housebill">${navigation(sections)}</section><noscript><p>The reference needs JavaScript. The <a href="/docs/guides">guides</a> do not, and <a href="/openapi.json">openapi.json</a> has everything for tools.</p></noscript>
<div id="reference" data-try-it="${mayTry ? 'yes' : 'no'}"></div><script src="/docs/assets/renderer.js"></script><script src="/docs/assets/reference.js"></script></body></html>`
  return sendHtml(reply, document, {
    'script-src': "'self'",
    'connect-src': "'self'",
    'img-src': "'self' data:",
    'font-src': "'self' data:",
  })
}

const barStyle = raw(`<style>
:root{--scalar-custom-header-height:3.5rem;--line:#d9dfe6;--ink:#1c2530;--paper:#fff}body{margin:0}body.dark-mode{--line:#333c46;--ink:#e6eaee;--paper:#14181d}
.bar{position:sticky;top:0;z-index:20;box-sizing:border-box;height:3.5rem;padding:0 1.25rem;display:flex;align-items:center;gap:.2rem 1rem;white-space:nowrap;font:16px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,Arial,sans-serif;background:var(--paper);color:var(--ink);border-bottom:1px solid var(--line)}
.bar a{color:inherit;text-decoration:none}.bar>a{font-weight:650}.bar ul{display:flex;flex-wrap:wrap;gap:.2rem 1rem;list-style:none;margin:0;padding:0}
@media(max-width:44rem){:root{--scalar-custom-header-height:6.5rem}.bar{height:6.5rem;flex-wrap:wrap;align-content:center}}
</style>`)

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

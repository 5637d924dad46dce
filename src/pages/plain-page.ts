import type { FastifyReply } from 'fastify'
import type { OperatorFile } from '../contracts/operator-file.ts'
import { htmlDocument, sendDocument, setDocumentHeaders } from './document.ts'
import { setPrivate } from './frame.ts'
import { type Html, html, raw } from './html.ts'

/** A simple page: its title and main content. */
export interface Page {
  title: string
  /** The pages above this one, for the breadcrumb, starting at the top. */
  trail?: readonly { href: string; text: string }[]
  body: Html
}

const style = raw(`
:root{color-scheme:light;--ink:#1c2530;--quiet:#566270;--line:#d9dfe6;--accent:#0b5c4b;--paper:#fff;--wash:#f5f7f8}
*{box-sizing:border-box}body{margin:0;font:16px/1.55 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;color:var(--ink);background:var(--paper)}
header{border-bottom:1px solid var(--line);padding:.9rem 1.25rem;display:flex;flex-wrap:wrap;gap:.2rem 1rem;align-items:baseline}header a{color:var(--ink);text-decoration:none;font-weight:650;letter-spacing:.01em}
nav ul,nav ol{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:.2rem .9rem}
.trail li+li::before{content:"›";color:var(--quiet);margin-right:.9rem}header .trail a{color:var(--accent);font-weight:400;text-decoration:underline}
main{max-width:54rem;margin:0 auto;padding:1.5rem 1.25rem 4rem}h1{font-size:1.6rem;line-height:1.25;margin:.4rem 0 1rem}h2{font-size:1.15rem;margin:2.2rem 0 .6rem}h3{font-size:1rem;margin:1.6rem 0 .5rem}
a{color:var(--accent);overflow-wrap:anywhere}:focus-visible{outline:3px solid var(--accent);outline-offset:2px}code{font:.9em ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;background:var(--wash);padding:.1em .3em;border-radius:4px;overflow-wrap:anywhere}
pre{background:var(--wash);border:1px solid var(--line);border-radius:8px;padding:.9rem;overflow-x:auto}pre code{background:none;padding:0}
iframe{width:100%;height:85vh;border:1px solid var(--line);border-radius:8px}@media(max-width:40rem){iframe{display:none}}
table{border-collapse:collapse;width:100%}.scroll{overflow-x:auto}th,td{text-align:left;vertical-align:top;padding:.5rem .75rem .5rem 0;border-bottom:1px solid var(--line)}th{font-weight:600}
.operations dt{margin-top:1.1rem}.operations dd{margin:.3rem 0 0;padding-bottom:1.1rem;border-bottom:1px solid var(--line)}.quiet{color:var(--quiet)}
.contents{border:1px solid var(--line);border-radius:8px;padding:.7rem .9rem;margin:1rem 0}
th code,td code{overflow-wrap:break-word}.operations a{text-decoration:none}.operations a:hover{text-decoration:underline}.statuses th[scope=row]{width:5rem}
`)

/**
 * A whole page in the common style. `site` is whose page it is, `header` is what its header contains, `head` what is
 * added to its head.
 */
export function pageDocument(
  { title, body, site = 'Housebill' }: Pick<Page, 'title' | 'body'> & { site?: string },
  header: Html,
  head?: Html,
): Html {
  return htmlDocument({
    title: `${title} · ${site}`,
    head: html`<style>${style}</style>${head}`,
    body: html`<header>${header}</header><main>${body}</main>`,
  })
}

/** Sends a page that may use nothing but its own styles and what `allowed` adds by directive. */
export function sendHtml(reply: FastifyReply, document: Html, allowed: Readonly<Record<string, string>>): FastifyReply {
  return sendDocument(reply, document, { ...ownStyles, ...allowed })
}

const ownStyles = { 'style-src': "'unsafe-inline'" }

/** The way from the top to a page, as links. */
export function trailOf({ trail }: Pick<Page, 'trail'>): Html | undefined {
  if (trail === undefined) return undefined
  return html`<nav class="trail" aria-label="Breadcrumb"><ol>${trail.map(
    ({ href, text }) => html`<li><a href="${href}">${text}</a></li>`,
  )}</ol></nav>`
}

type Trader = OperatorFile['trader']

/** A page that a tenant reads: its heading, which is also its title, and what follows it. */
interface TenantPage {
  heading: string
  body: Html
}

/**
 * Sends a page to a tenant, in the operator's name and with how to reach the operator. It is never stored or indexed.
 */
export function sendTenantPage(
  reply: FastifyReply,
  trader: Trader,
  page: TenantPage,
  allowed: Readonly<Record<string, string>> = {},
): FastifyReply {
  return reply.send(asTenantPage(reply, trader, page, allowed))
}

/** The page as `sendTenantPage` sends it, whose headers it sets. */
export function asTenantPage(
  reply: FastifyReply,
  trader: Trader,
  { heading, body }: TenantPage,
  allowed: Readonly<Record<string, string>> = {},
): string {
  const content = html`<h1>${heading}</h1>${body}${contactOf(trader)}`
  const page = pageDocument({ title: heading, body: content, site: trader.name }, html`<strong>${trader.name}</strong>`)
  setDocumentHeaders(setPrivate(reply), { ...ownStyles, ...allowed })
  return page.markup
}

function contactOf({ name, email, phone, address }: Trader): Html {
  return html`<h2>How to reach ${name}</h2><p>E-mail: <a href="mailto:${email}">${email}</a><br>Phone: <a href="tel:${phone.replaceAll(/[^\d+]/g, '')}">${phone}</a><br>Address: ${address.join(', ')}</p><p><a href="/privacy">How we use your data</a></p>`
}

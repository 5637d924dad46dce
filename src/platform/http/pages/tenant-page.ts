import type { FastifyReply } from 'fastify'
import type { OperatorFile } from '../../../contracts/operator-file.ts'
import { type Html, html } from './html.ts'
import { pageDocument, sendHtml } from './send-page.ts'

type Trader = OperatorFile['trader']

/** A page that a tenant reads: its heading, which is also its title, and what follows it. */
export interface TenantPage {
  heading: string
  body: Html
}

/**
 * Sends a page to a tenant, in the operator's name and with how to reach the operator. It is never stored or indexed.
 */
export function sendTenantPage(
  reply: FastifyReply,
  trader: Trader,
  { heading, body }: TenantPage,
  allowed: Readonly<Record<string, string>> = {},
): FastifyReply {
  const content = html`<h1>${heading}</h1>${body}${contactOf(trader)}`
  const page = pageDocument({ title: heading, body: content, site: trader.name }, html`<strong>${trader.name}</strong>`)
  return sendHtml(setPrivate(reply), page, allowed)
}

/** The headers of what only the holder of a link may read. The default headers already forbid sending a referrer. */
export function setPrivate(reply: FastifyReply): FastifyReply {
  return reply.header('Cache-Control', 'private, no-store').header('X-Robots-Tag', 'noindex')
}

function contactOf({ name, email, phone, address }: Trader): Html {
  return html`<h2>How to reach ${name}</h2><p>E-mail: <a href="mailto:${email}">${email}</a><br>Phone: <a href="tel:${phone.replaceAll(/[^\d+]/g, '')}">${phone}</a><br>Address: ${address.join(', ')}</p>`
}

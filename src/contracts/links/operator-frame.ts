import type { FastifyReply } from 'fastify'
import { type Frame, markupOfPage, type Shown } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { createLook, type Look } from '../../pages/look.ts'
import { type OperatorFile, privacyPath } from '../operator-file.ts'

/** Whose pages they are. */
export interface OperatorPages {
  operator: Pick<OperatorFile, 'trader' | 'look'>
  realm: 'sandbox' | 'live'
}

const looks = new WeakMap<object, Look>()

/** The look of the operator's pages, in their colours and with their logo. */
export function operatorLook({ operator }: Pick<OperatorPages, 'operator'>): Look {
  const look = looks.get(operator) ?? createLook({ theme: operator.look })
  looks.set(operator, look)
  return look
}

/** What is around a page for tenants: in the operator's name, and with how to reach the operator. */
export function operatorFrame(pages: OperatorPages, privacyLink: string = privacyPath): Frame {
  const { name, email, phone, costOfContact, address } = pages.operator.trader
  const { css, logo } = operatorLook(pages)
  return {
    siteName: name,
    cssPath: css.path,
    strip:
      pages.realm === 'sandbox'
        ? { label: 'Sandbox', text: 'Sandbox: nothing here is real. No contract, no money.' }
        : undefined,
    header: html`<p class="name">${logo === undefined ? null : html`<img src="${logo.path}" alt="">`}${name}</p>`,
    footer: html`
<h2>Questions? Ask ${name}</h2>
<p><a href="mailto:${email}">${email}</a><br><a href="tel:${phone.replaceAll(/[^\d+]/g, '')}">${phone}</a> (${costOfContact})<br>${address.join(', ')}</p>
<p><a href="${privacyLink}">How we use your data</a></p>
`,
  }
}

/** Sends a page that a tenant reads without a session. Its heading is also its title. */
export function sendOperatorPage(
  reply: FastifyReply,
  pages: OperatorPages,
  page: Parameters<typeof operatorPage>[2],
): FastifyReply {
  return reply.send(operatorPage(reply, pages, page))
}

/** The page as `sendOperatorPage` sends it, whose headers it sets. */
export function operatorPage(
  reply: FastifyReply,
  pages: OperatorPages,
  { heading, body, allowed, ...more }: { heading: string } & Omit<Shown, 'title'>,
): string {
  return markupOfPage(reply, operatorFrame(pages), {
    ...more,
    allowed: { 'form-action': "'none'", ...allowed },
    title: heading,
    body: html`<h1>${heading}</h1>${body}`,
  })
}

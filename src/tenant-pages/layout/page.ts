import type { FastifyReply } from 'fastify'
import type { OperatorFile } from '../../contracts/operator-file.ts'
import { privacyPath } from '../../contracts/privacy-address.ts'
import { type Html, html } from '../../platform/http/pages/html.ts'
import { setPrivate } from '../../platform/http/pages/tenant-page.ts'
import { words } from '../words.ts'
import type { Problem } from './form.ts'
import type { Look } from './look.ts'

/** What all pages have around their content. */
export interface Frame {
  look: Look
  operator: Pick<OperatorFile, 'trader'>
  isSandbox: boolean
}

/** One page. */
export interface PageContent {
  title: string
  body: Html
  /** Where the tenant is on the way to their contract, e.g. "Step 2 of 6". */
  progress?: string | undefined
  /** The page before this one. */
  back?: string | undefined
  /** Who the tenant came from, and where the way back to them leads. */
  via?: { name: string; returnUrl: string | null } | undefined
  /** What was found wrong with the form, for the summary at the top. */
  problems?: readonly Problem[]
  /** Where the tenant reads how their data is used; by default the page for everybody. */
  privacy?: string
  /** Whether the tenant has a session that they can end. */
  signOut?: Html | undefined
}

/** The page as HTML. */
function documentOf({ look, operator, isSandbox }: Frame, page: PageContent): Html {
  const { title, body, progress, back, via, problems = [], privacy = privacyPath, signOut } = page
  const { trader } = operator
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="format-detection" content="telephone=no">
<meta name="robots" content="noindex">
<title>${problems.length > 0 ? words.errorPrefix : ''}${title} · ${look.operatorName}</title>
<link rel="stylesheet" href="${look.cssPath}">
</head>
<body>
<a class="skip" href="#main">${words.skipToContent}</a>
${isSandbox ? html`<aside class="strip" aria-label="${words.sandbox}">${words.sandboxStrip}</aside>` : null}
<header><p class="name">${look.logo === undefined ? null : html`<img src="${look.logo.path}" alt="">`}${look.operatorName}</p>${viaOf(via)}</header>
<main id="main" tabindex="-1">
${back === undefined ? null : html`<a class="back" href="${back}">${words.back}</a>`}
${problems.length > 0 ? summaryOf(problems) : null}
${progress === undefined ? null : html`<p class="progress">${progress}</p>`}
${body}
</main>
<footer>
<h2>${words.contactHeading(trader.name)}</h2>
<p><a href="mailto:${trader.email}">${trader.email}</a><br><a href="tel:${trader.phone.replaceAll(/[^\d+]/g, '')}">${trader.phone}</a> (${trader.costOfContact})<br>${trader.address.join(', ')}</p>
<p><a href="${privacy}">${words.privacy.link}</a></p>
${signOut}
</footer>
</body>
</html>
`
}

function viaOf(via: PageContent['via']): Html | null {
  if (via === undefined) return null
  const { name, returnUrl } = via
  return html`<p class="via">${returnUrl === null ? words.via(name) : html`<a href="${returnUrl}">${words.backTo(name)}</a>`}</p>`
}

function summaryOf(problems: readonly Problem[]): Html {
  return html`<div class="summary" role="alert" tabindex="-1" autofocus><h2>${words.problemHeading}</h2><ul>${problems.map(
    ({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`,
  )}</ul></div>`
}

const policy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/**
 * Sends a page. It is never stored, indexed or framed, and loads nothing from anywhere else but what `allowed` adds.
 */
export function sendPage(
  reply: FastifyReply,
  frame: Frame,
  page: PageContent,
  allowed: readonly string[] = [],
): FastifyReply {
  return setPrivate(reply)
    .header('Content-Type', 'text/html; charset=utf-8')
    .header('Content-Security-Policy', [...policy, ...allowed].join('; '))
    .send(documentOf(frame, page).markup)
}

/** A form that is sent to the page it stands on, with its token and one button. */
export function formOf(
  formToken: string,
  content: Html,
  button: string,
  { action, look = 'first' }: { action?: string; look?: 'first' | 'second' | 'plain' } = {},
): Html {
  return html`<form method="post" novalidate${action === undefined ? null : html` action="${action}"`}>
<input type="hidden" name="formToken" value="${formToken}">
${content}
<button type="submit"${look === 'first' ? null : html` class="${look}"`}>${button}</button>
</form>`
}

import type { FastifyReply } from 'fastify'
import { htmlDocument, setDocumentHeaders } from './document.ts'
import type { Problem } from './form.ts'
import { type Html, html } from './html.ts'
import { words } from './words.ts'

/** What pages have around their content. */
export interface Frame {
  /** Whose pages they are. It ends every title. */
  siteName: string
  /** The addresses of the style sheet and, where pages copy or reload, of the script. */
  cssPath: string
  scriptPath?: string
  /** What stands above everything, e.g. that nothing in a sandbox is real. */
  strip?: { label: string; text: string } | undefined
  /** What the header contains. */
  header: Html
  /** What stands beside the content, such as the list of all pages. */
  side?: Html
  /** What the footer contains. */
  footer?: Html
  /** Where errors are documented by code. Pages for developers then show an error's code and the request's id. */
  errorDocs?: string
  /** Whether anybody may read, store and index the pages. */
  isPublic?: boolean
}

/** What one page shows. */
export interface Shown {
  title: string
  body: Html
  /** Where the reader is on their way, e.g. "Step 2 of 6". */
  progress?: string | undefined
  /** The path of the page before this one. */
  back?: string | undefined
  /** What the page loads from elsewhere, by directive of its Content-Security-Policy. */
  allowed?: Readonly<Record<string, string>>
  /** Whether it needs the whole screen, as tables do. */
  isWide?: boolean
  /** Whether it stands in place of a page that is not for the reader. */
  isRefused?: boolean
  /** Whether the session is over, so that nothing more can be done with it. */
  isOver?: boolean
}

/**
 * Sends a page in its frame. It is never stored, indexed or framed, and loads nothing from anywhere else but what
 * `allowed` adds. `problems` are listed at its top, in the order of the fields.
 */
export function sendPage(
  reply: FastifyReply,
  frame: Frame,
  shown: Shown,
  problems: readonly Problem[] = [],
): FastifyReply {
  return reply.send(markupOfPage(reply, frame, shown, problems))
}

/** The page as `sendPage` sends it, whose headers it sets. */
export function markupOfPage(
  reply: FastifyReply,
  { siteName, cssPath, scriptPath, strip, header, side, footer, isPublic = false }: Frame,
  { title, body, progress, back, isWide = false, allowed = {} }: Shown,
  problems: readonly Problem[] = [],
): string {
  const placeOf = ({ field }: Problem) => body.markup.indexOf(` id="${field}"`)
  const document = htmlDocument({
    title: `${problems.length > 0 ? words.errorPrefix : ''}${title} · ${siteName}`,
    head: html`${isPublic ? null : html`<meta name="robots" content="noindex">`}<link rel="stylesheet" href="${cssPath}">${scriptPath === undefined ? null : html`<script src="${scriptPath}" defer></script>`}`,
    body: html`<a class="skip" href="#main">${words.skipToContent}</a>
${strip === undefined ? null : html`<aside class="strip" aria-label="${strip.label}">${strip.text}</aside>`}
<header>${header}</header>
${side}
<main id="main" tabindex="-1">
${back === undefined ? null : html`<a class="back" href="${back}">${words.back}</a>`}
${problems.length > 0 ? summaryOf(problems.toSorted((a, b) => placeOf(a) - placeOf(b))) : null}
${progress === undefined ? null : html`<p class="progress">${progress}</p>`}
${body}
</main>
${footer === undefined ? null : html`<footer>${footer}</footer>`}`,
    bodyAttributes: isWide ? html` class="wide"` : html``,
  })
  const own = "'self'"
  const scripts = scriptPath === undefined ? {} : { 'script-src': own }
  const policy = { 'style-src': own, 'img-src': own, 'form-action': own, ...scripts, ...allowed }
  setDocumentHeaders(isPublic ? reply : setPrivate(reply), policy)
  return document.markup
}

function summaryOf(problems: readonly Problem[]): Html {
  return html`<div class="summary" role="alert" tabindex="-1" autofocus><h2>${words.problemHeading}</h2><ul>${problems.map(
    ({ field, text }) => html`<li><a href="#${field}">${text}</a></li>`,
  )}</ul></div>`
}

/** The headers of what only one reader may see. The default headers already forbid sending a referrer. */
export function setPrivate(reply: FastifyReply): FastifyReply {
  return reply.header('Cache-Control', 'private, no-store').header('X-Robots-Tag', 'noindex')
}

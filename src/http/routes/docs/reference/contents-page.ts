import { type Html, html } from '../../../pages/html.ts'
import { codeBlock, scrollBox } from '../../../pages/scroll-box.ts'
import type { Page } from '../../../pages/send-page.ts'
import { pathWithBreakPoints } from './break-points.ts'
import { type CallGroup, eventHref, operationHref, type Reference, tagAnchor } from './reference.ts'

/** A guide in the list of contents. */
interface GuideLink {
  href: string
  title: string
  summary: string
}

/** The start page of the reference: getting started, then every guide, operation and event on one line each. */
export function contentsPage(reference: Reference, guides: readonly GuideLink[]): Page {
  const { title, description, baseUrl, groups, messages } = reference
  const offered = groups.filter(({ calls }) => calls.length > 0)
  const body = html`<h1>${title}</h1>
<p>${description}</p>
<nav class="contents" aria-label="On this page"><ul><li><a href="#start">Getting started</a></li><li><a href="#guides">Guides</a></li>${offered.map(
    ({ tag }) => html`<li><a href="#${tagAnchor(tag)}">${tag}</a></li>`,
  )}<li><a href="#webhook-events">Webhook events</a></li><li><a href="#headers">Response headers</a></li></ul></nav>
<h2 id="start">Getting started</h2>
<p>The API is at <code>${baseUrl}/partner-api</code>. Every call except the token calls needs an access token. A token lasts a day: get it once and reuse it.</p>
${codeBlock(tokenCommands(baseUrl))}
<p>The same reference as a file for tools: <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). Every <a href="/docs/errors">error code</a> has a page of its own. Use the <a href="/console">console</a> to see your webhooks, their deliveries and events, and to fix problems.</p>
<h2 id="guides">Guides</h2>
<dl class="operations">${guides.map(
    (guide) => html`<dt><a href="${guide.href}">${guide.title}</a></dt><dd>${guide.summary}</dd>`,
  )}</dl>
${offered.map(groupSection)}
<h2 id="webhook-events">Webhook events</h2><p>Signed messages that are sent to your webhooks.</p>
<dl class="operations">${messages.map(
    ({ type, operation }) =>
      html`<dt><a href="${eventHref(type)}"><code>${type}</code></a></dt><dd>${operation.summary}.</dd>`,
  )}</dl>
${headerSection(reference)}`
  return { title: 'API reference', body }
}

function tokenCommands(baseUrl: string): string {
  return `API=${baseUrl}/partner-api
TOKEN=$(curl -s $API/Auth/token -H 'Content-Type: application/json' \\
  -d '{"clientId":"…","clientSecret":"…"}' | node -p 'JSON.parse(fs.readFileSync(0)).access_token')
curl -s $API/Quotes -H "Authorization: Bearer $TOKEN"`
}

function groupSection({ tag, description, calls }: CallGroup): Html {
  return html`<h2 id="${tagAnchor(tag)}">${tag}</h2><p>${description}.</p><dl class="operations">${calls.map(
    ({ method, path, operation: { operationId, summary } }) =>
      html`<dt id="${operationId}"><a href="${operationHref(operationId)}"><code><b>${method}</b> ${pathWithBreakPoints(path)}</code></a></dt><dd>${summary}.</dd>`,
  )}</dl>`
}

function headerSection({ headers }: Reference): Html {
  const rows = Object.entries(headers).map(
    ([name, { description }]) => html`<tr><th scope="row"><code>${name}</code></th><td>${description}</td></tr>`,
  )
  return html`<h2 id="headers">Response headers</h2>${scrollBox(
    'Response headers',
    html`<table class="fields"><thead><tr><th scope="col">Header</th><th scope="col">What it is</th></tr></thead><tbody>${rows}</tbody></table>`,
  )}`
}

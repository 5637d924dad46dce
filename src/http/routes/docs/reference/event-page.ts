import { html } from '../../../pages/html.ts'
import { codeBlock } from '../../../pages/scroll-box.ts'
import type { Page } from '../../../pages/send-page.ts'
import { headerTable, responseFieldTable } from './field-table.ts'
import { pager } from './pager.ts'
import { type FindPage, renderProse } from './prose.ts'
import { eventHref, type Message } from './reference.ts'
import { responseTable } from './response-table.ts'

/** The page of one webhook message: when it is sent, its content, and how the receiver's responses are handled. */
export function eventPage(message: Message, messages: readonly Message[], findPage: FindPage): Page {
  const { type, operation } = message
  const { summary, description = '', parameters = [], requestBody, responses } = operation
  const contents = Object.entries(requestBody?.content ?? {})
  const body = html`<h1>${summary}</h1>
<p class="call"><code>${type}</code></p>
<p>A POST to the URL of your webhook. ${renderProse(description, findPage)} The guide on <a href="/docs/guides/webhooks">webhooks</a> has a receiver.</p>
<h2>Headers</h2>${headerTable(parameters, { caption: 'Headers', findPage })}
${contents.map(
  ([
    contentType,
    { schema, example },
  ]) => html`<h2>Body</h2><p>Sent as <code>${contentType}</code>.</p>${responseFieldTable(schema, { caption: 'Body', findPage })}
${example === undefined ? '' : html`<h2>Example</h2>${codeBlock(JSON.stringify(example, null, 2))}`}`,
)}
<h2>Your response</h2>${responseTable(Object.entries(responses), findPage)}
${pager(
  'webhook events',
  messages.map((each) => ({ href: eventHref(each.type), text: each.operation.summary })),
  messages.indexOf(message),
)}`
  return {
    title: summary,
    trail: [
      { href: '/docs', text: 'API reference' },
      { href: '/docs#webhook-events', text: 'Webhook events' },
    ],
    body,
  }
}

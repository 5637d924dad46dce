import { html, nothing, type TemplateResult } from 'lit-html'
import type { OpenPage } from '../page.ts'
import { createLoader } from '../parts/loader.ts'
import {
  disabledInWords,
  healthBadge,
  statusBadge,
  verificationBadge,
  type Webhook,
  webhookHref,
} from '../parts/webhook-words.ts'

/**
 * All webhooks, after a warning about any that are disabled. A partner has at most 20, so one call returns them all.
 */
export const openWebhooks: OpenPage = (context) => {
  const reading = createLoader(context, 'your webhooks', () => context.call('listWebhooks', { query: { limit: 100 } }))
  return {
    title: 'Webhooks',
    load: reading.load,
    view: () => html`<p class="lead">Webhooks notify your program when something changes.</p>
      ${reading.view(({ data }) => (data.length === 0 ? empty() : list(data, () => void reading.load())))}`,
  }
}

function empty(): TemplateResult {
  return html`<div class="empty">
    <p>You have no webhooks yet.</p>
    <p><a class="primary" href="/console/webhooks/new">Register a webhook</a></p>
  </div>`
}

function list(webhooks: readonly Webhook[], refresh: () => void): TemplateResult {
  const disabled = webhooks.filter(({ status }) => status === 'disabled')
  return html`${disabled.length === 0 ? nothing : disabledNotice(disabled)}
    <div class="toolbar">
      <a class="primary" href="/console/webhooks/new">Register a webhook</a>
      <button type="button" @click=${refresh}>Refresh</button>
    </div>
    <ul class="rows">
      ${webhooks.map((webhook) => html`<li>${row(webhook)}</li>`)}
    </ul>`
}

function disabledNotice(webhooks: readonly Webhook[]): TemplateResult {
  return html`<section class="alarm" aria-labelledby="disabled">
    <h2 id="disabled">${webhooks.length === 1 ? 'A webhook is disabled' : `${webhooks.length} webhooks are disabled`}</h2>
    <ul>
      ${webhooks.map(
        (webhook) =>
          html`<li>
            <p><a href=${webhookHref(webhook.webhookId)}>${webhook.url}</a></p>
            ${disabledInWords(webhook)}
          </li>`,
      )}
    </ul>
    <p>What to do: fix the receiver, open the webhook and enable it, then send the events it missed.</p>
  </section>`
}

function row(webhook: Webhook): TemplateResult {
  return html`<p class="url"><a href=${webhookHref(webhook.webhookId)}>${webhook.url}</a></p>
    <p class="badges">${statusBadge(webhook)} ${verificationBadge(webhook)} ${healthBadge(webhook)}</p>
    <p class="quiet">${webhook.events.join(', ')}</p>`
}

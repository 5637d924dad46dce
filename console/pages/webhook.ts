import { html, nothing, type TemplateResult } from 'lit-html'
import type { OpenPage, PageContext } from '../page.ts'
import { type ActionRunner, createActionRunner } from '../parts/action.ts'
import { deliveryRow } from '../parts/delivery-row.ts'
import { createLoader } from '../parts/loader.ts'
import { moment } from '../parts/moment.ts'
import { disabledBanner, replayOffer } from '../parts/re-enable.ts'
import { webhookTools } from '../parts/webhook-tools.ts'
import { statusBadge, type Webhook, webhookHref } from '../parts/webhook-words.ts'
import { createDeliveryLoader } from './deliveries.ts'

/** One webhook: its state, its latest deliveries and its actions. */
export const openWebhook: OpenPage = (context, id) => {
  const action = createActionRunner(context)
  const reading = createLoader(context, 'the webhook', () => context.call('getWebhook', { id }))
  const latest = createDeliveryLoader(context, id, { limit: 5 })
  const load = async () => {
    await Promise.all([reading.load(), latest.load()])
  }
  return {
    title: 'Webhook',
    trail: [{ href: '/console/webhooks', label: 'Webhooks' }],
    load,
    view: () =>
      reading.view(
        (webhook) => html`${action.problem()}
          ${webhook.status === 'disabled' ? disabledBanner(context, action, webhook) : replayOffer(context, action, webhook)}
          ${webhook.status === 'active' && webhook.failingSince !== null ? failingWarning(id, webhook.failingSince) : nothing}
          ${facts(context, action, webhook, reading.set)}
          <section aria-labelledby="latest">
            <h2 id="latest">Latest deliveries</h2>
            ${latest.view(({ data }) =>
              data.length === 0
                ? html`<p class="empty">No deliveries yet.</p>`
                : html`<ul class="rows">
                    ${data.map((delivery) => html`<li>${deliveryRow(delivery)}</li>`)}
                  </ul>`,
            )}
            <div class="buttons">
              <a href=${webhookHref(id, 'deliveries')}>All deliveries</a>
              <a href=${`${webhookHref(id, 'deliveries')}?status=failed`}>Failed deliveries</a>
              <button type="button" @click=${() => void load()}>Refresh</button>
            </div>
          </section>
          ${webhookTools(context, action, webhook, { changed: reading.set, sent: () => void latest.load() })}`,
      ),
  }
}

function failingWarning(webhookId: string, since: string): TemplateResult {
  return html`<section class="alarm mild">
    <h2>All attempts have failed since ${moment(since)}</h2>
    <p>
      After five days of failures, the webhook is disabled. <a href=${webhookHref(webhookId, 'deliveries')}>Its deliveries</a> show how
      your receiver responded. Each one is retried for about three days, unless the operator has changed the retry schedule.
    </p>
  </section>`
}

function facts(
  context: PageContext,
  action: ActionRunner,
  webhook: Webhook,
  changed: (webhook: Webhook) => void,
): TemplateResult {
  return html`<dl class="facts">
    <div>
      <dt>URL</dt>
      <dd><code>${webhook.url}</code></dd>
    </div>
    <div>
      <dt>Events</dt>
      <dd>${webhook.events.map((event) => html`<code class="line">${event}</code>`)}</dd>
    </div>
    <div>
      <dt>Status</dt>
      <dd>${statusBadge(webhook)}</dd>
    </div>
    <div>
      <dt>Verification</dt>
      <dd>${verification(context, action, webhook, changed)}</dd>
    </div>
    <div>
      <dt>Health</dt>
      <dd>
        ${
          webhook.failingSince === null
            ? 'No current failures.'
            : html`All attempts have failed since ${moment(webhook.failingSince)}.`
        }
      </dd>
    </div>
    ${
      webhook.previousSecretValidUntil === null
        ? nothing
        : html`<div>
            <dt>Secrets</dt>
            <dd>Messages carry two signatures until ${moment(webhook.previousSecretValidUntil)}, when the previous secret expires.</dd>
          </div>`
    }
    <div>
      <dt>Registered</dt>
      <dd>${moment(webhook.createdAt)}</dd>
    </div>
    <div>
      <dt>Id</dt>
      <dd><code>${webhook.webhookId}</code></dd>
    </div>
  </dl>`
}

const verificationWords = {
  verified: 'Verified: your receiver returned the challenge.',
  pending: 'Pending: a challenge was sent and is retried until your receiver returns it. Events wait until then.',
  failed: 'Failed: your receiver did not return the challenge. Events wait until it does.',
} as const

function verification(
  context: PageContext,
  action: ActionRunner,
  { webhookId, status, verification: state }: Webhook,
  changed: (webhook: Webhook) => void,
): TemplateResult {
  const send = () =>
    void action.run(
      'Send a new challenge',
      () => context.call('sendVerification', { id: webhookId }),
      async ({ deliveryId }) => {
        context.say({
          text: 'A new challenge is being sent.',
          link: { href: `/console/deliveries/${deliveryId}`, label: 'View the delivery' },
        })
        const response = await context.call('getWebhook', { id: webhookId })
        if (response.failure === null) changed(response.data)
      },
    )
  return html`${verificationWords[state]}
  ${status === 'active' && state !== 'verified' ? html`<p>${action.button('Send a new challenge', send)}</p>` : nothing}`
}

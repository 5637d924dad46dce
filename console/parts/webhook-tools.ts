import { html, nothing, type TemplateResult } from 'lit-html'
import { limits } from '../api/partner-api.ts'
import type { PageContext } from '../page.ts'
import type { ActionRunner } from './action.ts'
import { deliveryHref, eventTypes, type Webhook, webhookHref } from './webhook-words.ts'

interface FollowUps {
  changed(webhook: Webhook): void
  /** Called after a message has been queued for the webhook. */
  sent(): void
}

/** The actions on a webhook. Immediate actions are buttons; the others are links to their own pages. */
export function webhookTools(
  context: PageContext,
  action: ActionRunner,
  webhook: Webhook,
  followUps: FollowUps,
): TemplateResult {
  const { webhookId, status } = webhook
  return html`<section aria-labelledby="tools">
    <h2 id="tools">Actions</h2>
    ${status === 'active' ? testEvent(context, action, webhook, followUps.sent) : nothing}
    <ul class="tools">
      <li><a href=${webhookHref(webhookId, 'edit')}>Edit its URL or events</a></li>
      <li><a href=${webhookHref(webhookId, 'replay')}>Replay events that failed or were missed</a></li>
      <li><a href=${webhookHref(webhookId, 'secret')}>Rotate its signing secret</a></li>
      <li><a href=${webhookHref(webhookId, 'delete')}>Delete it</a></li>
    </ul>
    ${status === 'active' ? disabling(context, action, webhook, followUps.changed) : nothing}
  </section>`
}

function testEvent(context: PageContext, action: ActionRunner, { webhookId, events }: Webhook, sent: () => void) {
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const chosen = new FormData(event.currentTarget).get('type')
    const type = eventTypes.find((each) => each === chosen)
    if (type === undefined) return
    void action.run(
      'Send a test event',
      () => context.call('sendTestEvent', { id: webhookId, body: { type } }),
      ({ deliveryId }) => {
        context.say({
          text: `A ${type} test event is being sent.`,
          link: { href: deliveryHref(deliveryId), label: 'View the delivery' },
        })
        sent()
      },
    )
  }
  return html`<form class="inline" @submit=${submit}>
    <div class="field">
      <label for="test-type">Test event</label>
      <select id="test-type" name="type">
        ${eventTypes.map((type) => html`<option value=${type} ?selected=${type === events[0]}>${type}</option>`)}
      </select>
    </div>
    ${action.button('Send a test event', undefined)}
  </form>`
}

function disabling(
  context: PageContext,
  action: ActionRunner,
  { webhookId }: Webhook,
  changed: (webhook: Webhook) => void,
): TemplateResult {
  const disable = () =>
    void action.run(
      'Disable it',
      () => context.call('updateWebhook', { id: webhookId, body: { status: 'disabled' } }),
      (webhook) => {
        changed(webhook)
        context.say({ text: 'The webhook is disabled.' })
        context.focus('h1')
      },
    )
  return html`<details>
    <summary>Disable this webhook</summary>
    <p>
      Disabling stops all messages to this webhook; pending deliveries fail. You can enable it here later and, within ${limits.keptDays} days, send the events it missed.
    </p>
    ${action.button('Disable it', disable, 'danger')}
  </details>`
}

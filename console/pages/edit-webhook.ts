import { html } from 'lit-html'
import type { OpenPage } from '../page.ts'
import { createActionRunner } from '../parts/action.ts'
import { createLoader } from '../parts/loader.ts'
import { readSubscription, subscriptionErrorFields, subscriptionFields } from '../parts/subscription-form.ts'
import { type Webhook, webhookHref } from '../parts/webhook-words.ts'

/** Changes a webhook's URL and its events. */
export const openEditWebhook: OpenPage = (context, id) => {
  const action = createActionRunner(context)
  const reading = createLoader(context, 'the webhook', () => context.call('getWebhook', { id }))
  const submit = (before: Webhook) => (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const body = readSubscription(event.currentTarget)
    void action.run(
      'Save',
      () => context.call('updateWebhook', { id, body }),
      ({ url, status }) => {
        const challenged = url !== before.url && status === 'active' ? ' A challenge is being sent to the new URL.' : ''
        context.go(webhookHref(id), { notice: { text: `Saved.${challenged}` } })
      },
    )
  }
  return {
    title: 'Edit webhook',
    trail: [
      { href: '/console/webhooks', label: 'Webhooks' },
      { href: webhookHref(id), label: 'Webhook' },
    ],
    // Loads only once, so that what was typed is not overwritten.
    load: async () => {
      if (reading.data() === undefined) await reading.load()
    },
    view: () =>
      reading.view(
        (webhook) => html`<form class="panel narrow" novalidate @submit=${submit(webhook)}>
          ${action.problem(subscriptionErrorFields)} ${subscriptionFields(action.failure(), webhook)}
          <p class="quiet">
            A new URL must be verified, and the pending messages are sent to it. A change of event types applies to new events only.
          </p>
          <div class="buttons">
            ${action.button('Save', undefined, 'primary')} <a href=${webhookHref(id)}>Cancel</a>
          </div>
        </form>`,
      ),
  }
}

import { html } from 'lit-html'
import type { OpenPage } from '../page.ts'
import { createActionRunner } from '../parts/action.ts'
import { createLoader } from '../parts/loader.ts'
import { webhookHref } from '../parts/webhook-words.ts'

/** Says what will be lost, asks for confirmation and deletes the webhook. */
export const openDeleteWebhook: OpenPage = (context, id) => {
  const action = createActionRunner(context)
  const reading = createLoader(context, 'the webhook', () => context.call('getWebhook', { id }))
  const remove = (url: string) => () =>
    void action.run(
      'Delete this webhook',
      () => context.call('deleteWebhook', { id }),
      () => context.go('/console/webhooks', { notice: { text: `Deleted ${url}` }, replace: true }),
    )
  return {
    title: 'Delete a webhook?',
    trail: [
      { href: '/console/webhooks', label: 'Webhooks' },
      { href: webhookHref(id), label: 'Webhook' },
    ],
    load: reading.load,
    view: () =>
      reading.view(
        ({ url }) => html`<div class="panel narrow">
          ${action.problem()}
          <p>You are about to delete <code>${url}</code>. You cannot undo this.</p>
          <ul>
            <li>Pending messages are not sent.</li>
            <li>Its deliveries and their attempts are deleted. They can no longer be viewed or redelivered.</li>
            <li>Its signing secrets stop working.</li>
          </ul>
          <p>Your events are kept. To stop deliveries for a while, disable the webhook instead.</p>
          <div class="buttons">
            ${action.button('Delete this webhook', remove(url), 'danger')} <a href=${webhookHref(id)}>Cancel</a>
          </div>
        </div>`,
      ),
  }
}

import { html } from 'lit-html'
import type { OpenPage } from '../page.ts'
import { createAction } from '../parts/action.ts'
import { createReading } from '../parts/reading.ts'
import { webhookHref } from '../parts/webhook-words.ts'

/** Asks once more, says what is lost, and deletes. */
export const openDeleteWebhook: OpenPage = (context, id) => {
  const action = createAction(context)
  const reading = createReading(context, 'the webhook', () => context.call('getWebhook', { id }))
  const remove = (url: string) => () =>
    void action.run(
      'Delete this webhook',
      () => context.call('deleteWebhook', { id }),
      () => context.go('/console/webhooks', { notice: { text: `Deleted: ${url}` }, replace: true }),
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
          <p>You are about to delete <code>${url}</code>. There is no way back. What is lost:</p>
          <ul>
            <li>Whatever still waits for it is not sent.</li>
            <li>Its deliveries and their attempts cannot be read or sent again any more.</li>
            <li>Its signing secrets end.</li>
          </ul>
          <p>Your events stay readable. To stop only for a while, disable the webhook instead.</p>
          <div class="buttons">
            ${action.button('Delete this webhook', remove(url), 'danger')} <a href=${webhookHref(id)}>Keep it</a>
          </div>
        </div>`,
      ),
  }
}

import { html } from '../../pages/html.ts'
import { confirmPage } from '../../pages/lists.ts'
import { deleteWebhookRoute } from '../../webhooks/endpoints/delete-webhook.route.ts'
import { getWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import type { DeveloperPage } from './developer-visit.ts'
import { webhookPath } from './in-words.ts'

/** Says what will be lost, and deletes the webhook. */
export const deleteWebhookPage: DeveloperPage = {
  name: 'delete-webhook',
  path: 'webhooks/:id/delete',
  may: 'webhooks:manage',
  async show(visit) {
    const { webhookId, url } = await visit.call(getWebhookRoute, { id: visit.parameters.id })
    const consequences = html`<p>You are about to delete <code>${url}</code>. You cannot undo this.</p>
<ul><li>Pending messages are not sent.</li><li>Its deliveries and their attempts are deleted. They can no longer be viewed or redelivered.</li><li>Its signing secrets stop working.</li></ul>
<p>Your events are kept. To stop deliveries for a while, disable the webhook instead.</p>`
    const back = webhookPath(webhookId)
    const stay = { text: 'Keep it', path: back }
    return confirmPage(visit, { title: 'Delete a webhook?', back, consequences, button: 'Delete this webhook', stay })
  },
  async submit({ call, path, parameters: { id } }) {
    await call(deleteWebhookRoute, { id })
    return { goTo: path('webhooks'), notice: 'deleted' }
  },
}

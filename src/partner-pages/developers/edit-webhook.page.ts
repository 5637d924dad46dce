import { formOf } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { getWebhookRoute, updateWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { type DeveloperPage, titled } from './developer-visit.ts'
import { webhookPath, webhookTabs } from './in-words.ts'
import { fieldsForSubscription, subscriptionIn, subscriptionProblems } from './subscription-form.ts'

/** Changes a webhook's URL and its events. */
export const editWebhookPage: DeveloperPage = {
  name: 'edit-webhook',
  path: 'webhooks/:id/edit',
  may: 'webhooks:manage',
  problems: subscriptionProblems,
  async show({ call, path, session, parameters: { id } }, form) {
    const webhook = await call(getWebhookRoute, { id })
    const fields = html`${fieldsForSubscription(form, webhook)}<p class="hint">A new URL must be verified, and the pending messages are sent to it. A change of event types applies to new events only.</p>`
    const body = html`<h1>Edit webhook</h1>${webhookTabs(webhook.webhookId, '/edit')}${formOf(session.formToken, fields, 'Save')}`
    return titled('Edit webhook', body, path('webhooks'))
  },
  async submit({ call, parameters: { id } }, form) {
    const before = await call(getWebhookRoute, { id })
    const { webhookId, url, status } = await call(updateWebhookRoute, { id, body: subscriptionIn(form) })
    const isChallenged = url !== before.url && status === 'active'
    return { goTo: webhookPath(webhookId), notice: isChallenged ? 'saved_and_challenged' : 'saved' }
  },
}

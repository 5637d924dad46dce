import { formOf, keyField } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { createWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { type DeveloperPage, titled } from './developer-visit.ts'
import { webhookPath } from './in-words.ts'
import { fieldsForSubscription, shownOnce, subscriptionIn, subscriptionProblems } from './subscription-form.ts'

const title = 'Register a webhook'

/** Registers a webhook and shows its secret once. */
export const registerWebhookPage: DeveloperPage = {
  name: 'register-webhook',
  path: 'webhooks/new',
  may: 'webhooks:manage',
  needsRecentSignIn: true,
  problems: subscriptionProblems,
  async show({ session, path }, form) {
    const fields = html`${keyField(form)}${fieldsForSubscription(form)}`
    return titled(title, html`<h1>${title}</h1>${formOf(session.formToken, fields, 'Register')}`, path('webhooks'))
  },
  async submit({ call, session }, form) {
    const body = subscriptionIn(form)
    const { webhookId, url, secret } = await call(createWebhookRoute, { body, key: form.text('key') })
    const challenge = html`<input type="hidden" name="do" value="challenge">${keyField()}`
    const action = webhookPath(webhookId)
    const more = html`<p>A challenge is being sent to <code>${url}</code>. The webhook is verified when your receiver returns it. Events are sent from then on. Verify every message as Standard Webhooks describes, over the exact bytes you receive.</p>
<p>Your receiver could not verify the challenge without this secret. Start it with the secret, then send the challenge again.</p>
${formOf(session.formToken, challenge, 'Send the challenge again', { action, look: 'second' })}`
    return shownOnce('The webhook is registered', secret, more, action)
  },
}

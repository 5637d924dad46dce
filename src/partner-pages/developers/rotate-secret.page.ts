import { formOf, keyField } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { inHours } from '../../platform/openapi/time-in-words.ts'
import { getWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { rotateSecretRoute } from '../../webhooks/secrets/rotate-secret.route.ts'
import { overlapSeconds } from '../../webhooks/secrets/secret.ts'
import { type DeveloperPage, titled } from './developer-visit.ts'
import { moment, webhookPath, webhookTabs } from './in-words.ts'
import { shownOnce } from './subscription-form.ts'

/** Gives a webhook a new secret and shows it once. */
export const rotateSecretPage: DeveloperPage = {
  name: 'rotate-secret',
  path: 'webhooks/:id/secret',
  may: 'webhooks:manage',
  needsRecentSignIn: true,
  async show({ call, path, session, parameters: { id } }, form) {
    const { webhookId, url } = await call(getWebhookRoute, { id })
    const title = 'Rotate signing secret'
    const body = html`<h1>${title}</h1>${webhookTabs(webhookId, '/secret')}<p>For <code>${url}</code>.</p>
<p>The new secret is shown only once. The current one stays valid for ${inHours(overlapSeconds)}. Until then, every message carries a signature for each secret. Update your receiver within this time and no message is lost.</p>
<p>If the current secret has leaked, register a new webhook and delete this one. That ends the secret at once.</p>
${formOf(session.formToken, html`${keyField(form)}`, 'Rotate the secret')}`
    return titled(title, body, path('webhooks'))
  },
  async submit({ call, parameters: { id } }, form) {
    const rotated = await call(rotateSecretRoute, { id, key: form.text('key') })
    const more = html`<p>The previous secret stays valid until ${moment(rotated.previousSecretValidUntil)}. Until then, messages carry a signature for each secret.</p>`
    return shownOnce('The secret was rotated', rotated.secret, more, webhookPath(rotated.webhookId))
  },
}

import { html } from 'lit-html'
import { limits, type Operations } from '../api/partner-api.ts'
import type { OpenPage } from '../page.ts'
import { createActionRunner } from '../parts/action.ts'
import { createLoader } from '../parts/loader.ts'
import { moment } from '../parts/moment.ts'
import { secretPanel } from '../parts/secret-panel.ts'
import { webhookHref } from '../parts/webhook-words.ts'

/** Gives a webhook a new secret and shows it once. */
export const openRotateSecret: OpenPage = (context, id) => {
  const action = createActionRunner(context)
  const reading = createLoader(context, 'the webhook', () => context.call('getWebhook', { id }))
  let rotated: Operations['rotateWebhookSecret']['response'] | undefined
  const rotate = () =>
    void action.run(
      'Rotate the secret',
      () => context.call('rotateWebhookSecret', { id }),
      (answer) => {
        rotated = answer
        context.say({ text: 'The secret was rotated. Save the new secret now.' })
        context.focus('#secret')
      },
    )
  return {
    title: 'Rotate signing secret',
    trail: [
      { href: '/console/webhooks', label: 'Webhooks' },
      { href: webhookHref(id), label: 'Webhook' },
    ],
    load: reading.load,
    view: () =>
      rotated === undefined
        ? reading.view(
            ({ url }) => html`<div class="panel narrow">
              ${action.problem()}
              <p>For <code>${url}</code>.</p>
              <p>
                The new secret is shown only once. The current one stays valid for ${limits.secretOverlapHours} hours. Until then, every message carries a signature for each secret.
                Update your receiver within this time and no message is lost.
              </p>
              <p>If the current secret has leaked, register a new webhook and delete this one. That invalidates the secret immediately.</p>
              <div class="buttons">
                ${action.button('Rotate the secret', rotate, 'primary')} <a href=${webhookHref(id)}>Back</a>
              </div>
            </div>`,
          )
        : secretPanel(
            context,
            rotated.secret,
            html`<p>
                The previous secret stays valid until <strong>${moment(rotated.previousSecretValidUntil)}</strong>, ${limits.secretOverlapHours} hours after the
                rotation. Until then, messages carry a signature for each secret.
              </p>
              <p><a class="primary" href=${webhookHref(id)}>I have saved it. Go to the webhook</a></p>`,
          ),
  }
}

import { html } from 'lit-html'
import type { Operations } from '../api/partner-api.ts'
import type { OpenPage } from '../page.ts'
import { createAction } from '../parts/action.ts'
import { moment } from '../parts/moment.ts'
import { createReading } from '../parts/reading.ts'
import { secretPanel } from '../parts/secret-panel.ts'
import { webhookHref } from '../parts/webhook-words.ts'

/** Gives a webhook a new secret, and shows it the once that it is told. */
export const openRotateSecret: OpenPage = (context, id) => {
  const action = createAction(context)
  const reading = createReading(context, 'the webhook', () => context.call('getWebhook', { id }))
  let rotated: Operations['rotateWebhookSecret']['answer'] | undefined
  const rotate = () =>
    void action.run(
      'Make a new secret',
      () => context.call('rotateWebhookSecret', { id }),
      (answer) => {
        rotated = answer
        context.say({ text: 'The new secret is made. Keep it now.' })
        context.focus('#secret')
      },
    )
  return {
    title: 'A new signing secret',
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
                The new secret is shown once. The present one stays valid for 24 hours: until then every message carries a signature with each,
                so change it in your receiver within that day and no message is lost.
              </p>
              <p>If the present secret has leaked, register a new webhook and delete this one: that ends it at once.</p>
              <div class="buttons">
                ${action.button('Make a new secret', rotate, 'primary')} <a href=${webhookHref(id)}>Back</a>
              </div>
            </div>`,
          )
        : secretPanel(
            context,
            rotated.secret,
            html`<p>
                The secret it replaces stays valid until <strong>${moment(rotated.previousSecretValidUntil)}</strong>, 24 hours from its
                replacement. Messages carry a signature with each until then.
              </p>
              <p><a class="primary" href=${webhookHref(id)}>I have kept it: to the webhook</a></p>`,
          ),
  }
}

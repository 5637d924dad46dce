import { html, type TemplateResult } from 'lit-html'
import type { Operations } from '../api/partner-api.ts'
import type { OpenPage, PageContext } from '../page.ts'
import { type ActionRunner, createActionRunner } from '../parts/action.ts'
import { secretPanel } from '../parts/secret-panel.ts'
import { readSubscription, subscriptionErrorFields, subscriptionFields } from '../parts/subscription-form.ts'
import { webhookHref } from '../parts/webhook-words.ts'

type Registered = Operations['createWebhook']['response']

/** Registers a webhook and shows its secret once. */
export const openRegisterWebhook: OpenPage = (context) => {
  const action = createActionRunner(context)
  let registered: Registered | undefined
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const body = readSubscription(event.currentTarget)
    void action.run(
      'Register',
      () => context.call('createWebhook', { body }),
      (answer) => {
        registered = answer
        context.say({ text: 'The webhook is registered. Save its secret now.' })
        context.focus('#secret')
      },
    )
  }
  return {
    title: 'Register a webhook',
    trail: [{ href: '/console/webhooks', label: 'Webhooks' }],
    view: () =>
      registered === undefined
        ? html`<form class="panel narrow" novalidate @submit=${submit}>
            ${action.problem(subscriptionErrorFields)} ${subscriptionFields(action.failure(), { url: '', events: [] })}
            <div class="buttons">${action.button('Register', undefined, 'primary')}</div>
          </form>`
        : afterwards(context, action, registered),
  }
}

function afterwards(
  context: PageContext,
  action: ActionRunner,
  { webhookId, url, secret }: Registered,
): TemplateResult {
  const challenge = () =>
    void action.run(
      'Resend the challenge',
      () => context.call('sendVerification', { id: webhookId }),
      () => context.say({ text: 'A new challenge is being sent.' }),
    )
  return secretPanel(
    context,
    secret,
    html`<p>
        A challenge is being sent to <code>${url}</code>. The webhook is verified when your receiver returns it. Events are sent from now on.
        Verify every message as Standard Webhooks describes, over the exact bytes you receive.
      </p>
      <p>Your receiver could not verify the challenge without this secret. Start it with the secret, then resend the challenge.</p>
      ${action.problem()}
      <div class="buttons">${action.button('Resend the challenge', challenge)}</div>
      <p><a class="primary" href=${webhookHref(webhookId)}>I have saved it. Go to the webhook</a></p>`,
  )
}

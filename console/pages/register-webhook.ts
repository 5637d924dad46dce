import { html, type TemplateResult } from 'lit-html'
import type { Operations } from '../api/partner-api.ts'
import type { OpenPage, PageContext } from '../page.ts'
import { type Action, createAction } from '../parts/action.ts'
import { secretPanel } from '../parts/secret-panel.ts'
import { readSubscription, subscriptionFields, subscriptionPlaces } from '../parts/subscription-form.ts'
import { webhookHref } from '../parts/webhook-words.ts'

type Registered = Operations['createWebhook']['answer']

/** Registers a webhook, and shows its secret the once that it is told. */
export const openRegisterWebhook: OpenPage = (context) => {
  const action = createAction(context)
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
        context.say({ text: 'The webhook is registered. Keep its secret now.' })
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
            ${action.problem(subscriptionPlaces)} ${subscriptionFields(action.failure(), { url: '', events: [] })}
            <div class="buttons">${action.button('Register', undefined, 'primary')}</div>
          </form>`
        : afterwards(context, action, registered),
  }
}

function afterwards(context: PageContext, action: Action, { webhookId, url, secret }: Registered): TemplateResult {
  const challenge = () =>
    void action.run(
      'Send the challenge again',
      () => context.call('sendVerification', { id: webhookId }),
      () => context.say({ text: 'A new challenge is on its way.' }),
    )
  return secretPanel(
    context,
    secret,
    html`<p>
        A challenge is on its way to <code>${url}</code>: your receiver echoes it to be marked verified. Events are sent from now on.
        Verify every message as Standard Webhooks describes, over the bytes as they come.
      </p>
      <p>Without this secret your receiver cannot have verified it yet: start it with the secret, then have the challenge sent again.</p>
      ${action.problem()}
      <div class="buttons">${action.button('Send the challenge again', challenge)}</div>
      <p><a class="primary" href=${webhookHref(webhookId)}>I have kept it: to the webhook</a></p>`,
  )
}

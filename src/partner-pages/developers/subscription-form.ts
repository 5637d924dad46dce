import { eventCatalogue, eventTypes } from '../../events/event.ts'
import { fieldsIn } from '../../pages/checked-body.ts'
import { choiceField, textField } from '../../pages/fields.ts'
import { Form } from '../../pages/form.ts'
import type { Shown } from '../../pages/frame.ts'
import { type Html, html } from '../../pages/html.ts'
import { copyable } from '../../pages/lists.ts'
import { createWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import type { Webhook } from './in-words.ts'

/** The fields of a registration or a change by the pointers of errors. */
export const subscriptionProblems = fieldsIn(createWebhookRoute, ['/url', '/events'])

/** The fields for a registration or a change. */
export function fieldsForSubscription(form: Form, before?: Pick<Webhook, 'url' | 'events'>) {
  const isFirst = form.entered().length === 0
  const events = isFirst && before ? new Form(new URLSearchParams(before.events.map((type) => ['events', type]))) : form
  return html`${textField(form, {
    name: 'url',
    label: 'URL of your receiver',
    hint: 'Starts with https:// and is reachable from the internet. A sandbox may also allow a receiver on its own machine.',
    maxLength: 2_048,
    value: before?.url ?? '',
  })}${choiceField(events, {
    name: 'events',
    label: 'Events',
    type: 'checkbox',
    options: eventTypes.map((type) => ({ value: type, label: type, hint: eventCatalogue[type].summary })),
  })}`
}

/** What was entered. */
export function subscriptionIn(form: Form) {
  return { url: form.text('url'), events: form.chosen('events') }
}

/** A page that shows a signing secret. Only the response to the form has it. */
export function shownOnce(title: string, secret: string, more: Html, webhook: string): Shown {
  const body = html`<h1>${title}</h1><h2>The signing secret</h2>
<p><strong>It is shown only once.</strong> Store it as safely as your client secret. Your receiver needs it to verify every message.</p>
<p id="secret">${copyable(secret)}</p>${more}
<p><a class="button" href="${webhook}">I have saved it. Go to the webhook</a></p>`
  return { title, body }
}

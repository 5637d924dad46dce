import { eventTypes } from '../../events/event.ts'
import { fieldsIn } from '../../pages/checked-body.ts'
import { selectField } from '../../pages/fields.ts'
import { type Form, formOf, keyField } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { dataTable, descriptionList, reloadLink } from '../../pages/lists.ts'
import { countInWords } from '../../platform/kernel/in-words.ts'
import { getWebhookRoute, updateWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { keptDays } from '../../webhooks/history/kept-payloads.ts'
import { listDeliveriesRoute } from '../../webhooks/history/read-deliveries.route.ts'
import { sendTestEventRoute, sendVerificationRoute } from '../../webhooks/messages/messages.route.ts'
import { maxFailingDays } from '../../webhooks/webhook-errors.ts'
import { deliveryColumns } from './deliveries.page.ts'
import { type DeveloperPage, type DeveloperVisit, titled } from './developer-visit.ts'
import {
  asLocalTime,
  deliveryPath,
  disabledInWords,
  moment,
  type Webhook,
  webhookPath,
  webhookTabs,
} from './in-words.ts'

/** One webhook: its state, its latest deliveries and its actions. */
export const webhookPage: DeveloperPage = {
  name: 'webhook',
  path: 'webhooks/:id',
  may: 'webhooks:manage',
  async show(visit, form) {
    const { call, path, query, parameters } = visit
    const webhook = await call(getWebhookRoute, { id: parameters.id })
    const { data } = await call(listDeliveriesRoute, { id: parameters.id, query: { limit: 5 } })
    const here = webhookPath(webhook.webhookId)
    const isActive = webhook.status === 'active'
    const body = html`<h1>Webhook</h1>${webhookTabs(webhook.webhookId, '')}
${isActive ? replayOffer(visit, webhook, query.get('missed-since') ?? '') : disabledWarning(visit, webhook)}
${isActive && webhook.failingSince && html`<div class="notice bad"><p>All attempts have failed since ${moment(webhook.failingSince)}. After ${countInWords(maxFailingDays)} days of failures, the webhook is disabled. <a href="${here}/deliveries">Its deliveries</a> show how your receiver responded.</p></div>`}
${facts(webhook)}
${isActive && webhook.verification !== 'verified' && action(visit, 'challenge', 'Send a new challenge')}
<h2>Latest deliveries</h2>${dataTable({ caption: 'Latest deliveries', columns: deliveryColumns, empty: 'No deliveries yet.' }, data)}
<p><a href="${here}/deliveries?status=failed">Failed deliveries</a></p>${reloadLink()}
<h2>Actions</h2>${isActive && testEvent(visit, form, webhook)}
${isActive && html`<details><summary>Disable this webhook</summary><p>Disabling stops all messages to this webhook; pending deliveries fail. You can enable it here later and, within ${keptDays} days, send the events it missed.</p>${action(visit, 'disable', 'Disable it')}</details>`}
<p><a href="${here}/delete">Delete this webhook</a></p>`
    return titled('Webhook', body, path('webhooks'))
  },
  async submit({ call, parameters: { id } }, form) {
    const [wanted, key] = [form.text('do'), form.text('key')]
    if (wanted === 'challenge') {
      const { deliveryId } = await call(sendVerificationRoute, { id, key })
      return { goTo: deliveryPath(deliveryId), notice: 'challenge_sent' }
    }
    if (wanted === 'test') {
      const { deliveryId } = await call(sendTestEventRoute, { id, key, body: { type: form.text('type') } })
      return { goTo: deliveryPath(deliveryId), notice: 'test_sent' }
    }
    const before = await call(getWebhookRoute, { id })
    const status = wanted === 'enable' ? 'active' : 'disabled'
    const { webhookId } = await call(updateWebhookRoute, { id, body: { status } })
    if (status === 'disabled') return { goTo: webhookPath(webhookId), notice: 'disabled' }
    // In the address, so that it is still offered after the page was loaded again.
    const since = before.failingSince ?? before.disabledAt ?? before.createdAt
    return { goTo: `${webhookPath(webhookId)}?missed-since=${encodeURIComponent(since)}`, notice: 'enabled' }
  },
  problems: fieldsIn(sendTestEventRoute, ['/type']),
}

function action({ session }: DeveloperVisit, what: string, button: string, more?: Html): Html {
  const fields = html`<input type="hidden" name="do" value="${what}">${keyField()}${more}`
  return formOf(session.formToken, fields, button, { look: what === 'enable' ? 'first' : 'second' })
}

function disabledWarning(visit: DeveloperVisit, webhook: Webhook): Html {
  return html`<div class="notice bad"><h2>This webhook is disabled</h2>${disabledInWords(webhook)}
<p>What to do: fix the receiver (<a href="${webhookPath(webhook.webhookId)}/deliveries?status=failed">the failed deliveries</a> show how it responded), enable the webhook, then send the events it missed.</p>
${action(visit, 'enable', 'Enable')}</div>`
}

/** Offers to replay what a webhook has missed that has just been enabled. */
function replayOffer({ now }: DeveloperVisit, { webhookId }: Webhook, missedSince: string): Html | null {
  if (Number.isNaN(Date.parse(missedSince))) return null
  // An event is older than its first failed attempt. The margin keeps the time within the limit until the form is sent.
  const earliest = now.getTime() - keptDays * 86_400_000 + 60_000
  const from = new Date(Math.max(Date.parse(missedSince) - 3_600_000, earliest)).toISOString()
  return html`<div class="notice"><h2>Send the events it missed?</h2>
<p>Since ${moment(new Date(missedSince).toISOString())}, deliveries failed or were not sent. You can now send all messages of the last ${keptDays} days that were not delivered. They keep their order within each quote and their <code>webhook-id</code>. Messages that were delivered are not sent again.</p>
<p><a class="button" href="${webhookPath(webhookId)}/replay?since=">See what would be sent</a> <a href="${webhookPath(webhookId)}/replay?since=${encodeURIComponent(asLocalTime(from))}">Choose a start time</a></p></div>`
}

const verifications = {
  verified: 'Verified: your receiver returned the challenge.',
  pending: 'Pending: a challenge was sent and is retried until your receiver returns it. Events wait until then.',
  failed: 'Failed: your receiver did not return the challenge. Events wait until it does.',
}

function facts({
  url,
  events,
  status,
  verification,
  failingSince,
  previousSecretValidUntil,
  createdAt,
  webhookId,
}: Webhook) {
  const health =
    failingSince === null ? 'No current failures.' : html`All attempts have failed since ${moment(failingSince)}.`
  const secrets =
    previousSecretValidUntil &&
    html`Messages carry two signatures until ${moment(previousSecretValidUntil)}, when the previous secret expires.`
  return descriptionList([
    ['URL', html`<code>${url}</code>`],
    ['Events', events.map((event) => html`<code>${event}</code> `)],
    ['Status', status === 'active' ? 'Active' : 'Disabled'],
    ['Verification', verifications[verification]],
    ['Health', health],
    ...(secrets === null ? [] : [['Secrets', secrets] as const]),
    ['Registered', moment(createdAt)],
    ['Id', html`<code>${webhookId}</code>`],
  ])
}

function testEvent(visit: DeveloperVisit, form: Form, { events }: Webhook): Html {
  const options = eventTypes.map((type) => ({ value: type, label: type }))
  const field = selectField(form, { name: 'type', label: 'Test event', value: events[0] ?? '', options })
  return action(visit, 'test', 'Send a test event', field)
}

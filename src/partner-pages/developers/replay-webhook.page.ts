import { fieldsIn } from '../../pages/checked-body.ts'
import { textField } from '../../pages/fields.ts'
import { Form, formOf, hiddenFields, keyField } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { getWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { keptDays } from '../../webhooks/history/kept-payloads.ts'
import { listDeliveriesRoute } from '../../webhooks/history/read-deliveries.route.ts'
import { replayWebhookRoute } from '../../webhooks/replay/replay-webhook.route.ts'
import { type DeveloperPage, type DeveloperVisit, titled } from './developer-visit.ts'
import { fromLocalTime, webhookPath, webhookTabs } from './in-words.ts'

const title = 'Replay events that failed or were missed'

/** Asks for the time range, says what a replay would send, and starts it. */
export const replayWebhookPage: DeveloperPage = {
  name: 'replay-webhook',
  path: 'webhooks/:id/replay',
  may: 'webhooks:manage',
  problems: fieldsIn(replayWebhookRoute, ['/since', '/until']),
  async show(visit, form) {
    const { call, path, query, session, parameters } = visit
    const { webhookId, url, status } = await call(getWebhookRoute, { id: parameters.id })
    const here = webhookPath(webhookId)
    const fields = new Form(query).with(form.problems)
    const range = ['since', 'until'].map((name) => [name, fields.text(name)] as const)
    const body = html`<h1>${title}</h1>${webhookTabs(webhookId, '/replay')}
<p>This queues every failed delivery to <code>${url}</code> again, and every event of its types that was not sent while it was disabled. Deliveries that succeeded or are still being retried are not affected.</p>
${status === 'disabled' && html`<p class="notice bad">The webhook is disabled: <a href="${here}">enable it</a> first.</p>`}
<form method="get">${textField(fields, { name: 'since', label: 'Events since (UK time)', type: 'datetime-local', hint: `At most ${keptDays} days ago. If in doubt, choose an earlier time. Leave this empty for all events of the last ${keptDays} days.` })}${textField(fields, { name: 'until', label: 'Events before (UK time)', type: 'datetime-local', hint: 'Leave this empty for now.' })}<button type="submit" class="second">See what would be sent</button></form>
${query.has('since') && html`${await figures(visit, webhookId)}${formOf(session.formToken, html`${keyField()}${hiddenFields(range)}`, 'Start replay')}`}`
    return titled(title, body, path('webhooks'))
  },
  async submit({ call, path, parameters: { id } }, form) {
    const [since, until] = [fromLocalTime(form.text('since')), fromLocalTime(form.text('until'))]
    const { replayId } = await call(replayWebhookRoute, {
      id,
      key: form.text('key'),
      body: { ...(since && { since }), ...(until && { until }) },
    })
    return { goTo: path(`replays/${replayId}`) }
  },
}

/** What is known before the replay. What was missed is counted while it runs. */
async function figures({ call, query }: DeveloperVisit, id: string): Promise<Html> {
  const at = (name: string) => fromLocalTime(query.get(name) ?? '')
  const asked = { status: 'failed', createdAfter: at('since'), createdBefore: at('until'), limit: 100 } as const
  const { data, nextCursor } = await call(listDeliveriesRoute, { id, query: asked })
  const failed = nextCursor === null ? String(data.length) : `more than ${data.length}`
  return html`<p>In this time, <strong>${failed}</strong> ${data.length === 1 ? 'delivery has' : 'deliveries have'} failed and would be sent again. Events that were missed while the webhook was disabled are sent too, and counted while the replay runs.</p>`
}

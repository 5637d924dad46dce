import { type Html, html } from '../../pages/html.ts'
import { csvLink, csvOfList, dataTable, filterBar, pagingLinks, reloadLink } from '../../pages/lists.ts'
import { deliveredTypes, deliveryStatuses } from '../../webhooks/delivery/delivery.ts'
import { getWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { keptDays } from '../../webhooks/history/kept-payloads.ts'
import { listDeliveriesRoute } from '../../webhooks/history/read-deliveries.route.ts'
import { type DeveloperPage, titled } from './developer-visit.ts'
import {
  choiceOf,
  chosen,
  deliveryPath,
  type ListedDelivery,
  latestOf,
  maxPage,
  moment,
  period,
  statusOf,
  webhookPath,
  webhookTabs,
} from './in-words.ts'

export const deliveryColumns = [
  {
    heading: 'Event type',
    cell: ({ deliveryId, eventType }: ListedDelivery) => html`<a href="${deliveryPath(deliveryId)}">${eventType}</a>`,
  },
  { heading: 'Queued', cell: ({ createdAt }: ListedDelivery) => moment(createdAt) },
  { heading: 'Status', cell: statusOf },
  { heading: 'Attempts', cell: latestOf },
  { heading: 'Quote', cell: ({ quoteId }: ListedDelivery) => quoteId && html`<code>${quoteId}</code>` },
]

const csvLineOf = ({ givenUpBecause, lastAttempt, webhookId: _, waitingFor: __, ...delivery }: ListedDelivery) => ({
  ...delivery,
  lastResponseStatus: lastAttempt?.responseStatus ?? null,
  lastError: lastAttempt?.error ?? null,
})

/** The deliveries of a webhook, newest first. */
export const deliveriesPage: DeveloperPage = {
  name: 'deliveries',
  path: 'webhooks/:id/deliveries',
  may: 'webhooks:manage',
  async show({ call, query, path, parameters: { id } }) {
    const { webhookId, url } = await call(getWebhookRoute, { id })
    const filter = {
      status: chosen(query, 'status', deliveryStatuses),
      eventType: chosen(query, 'eventType', deliveredTypes),
      ...period.of(query),
    }
    const read = (cursor: string | undefined) =>
      call(listDeliveriesRoute, { id, query: { ...filter, cursor, limit: maxPage } })
    const csv = await csvOfList({ query, path }, `webhooks/${webhookId}/deliveries`, read, csvLineOf)
    if (csv !== undefined) return csv
    const cursor = query.get('cursor') ?? undefined
    const { data, nextCursor } = await call(listDeliveriesRoute, { id, query: { ...filter, cursor } })
    const bar = filterBar({ query }, (form) => [
      choiceOf(form, 'status', 'Status', deliveryStatuses),
      choiceOf(form, 'eventType', 'Event type', deliveredTypes),
      ...period.fields(form),
    ])
    const empty = `No matching deliveries. Deliveries are kept for ${keptDays} days.`
    const body = html`<h1>Deliveries</h1>${webhookTabs(webhookId, '/deliveries')}<p>Messages sent to, or queued for, <code>${url}</code>.</p>${bar}
${dataTable({ caption: 'Deliveries, newest first', columns: deliveryColumns, empty }, data)}${pagingLinks({ query }, nextCursor)}${data.length > 0 && replayOfFailed(webhookId, query)}${csvLink({ query })}${reloadLink()}`
    return titled('Deliveries', body, path('webhooks'))
  },
}

/** The way to send again every failed delivery that matches, where a replay takes the filter. */
function replayOfFailed(webhookId: string, query: URLSearchParams): Html | null {
  if (query.get('status') !== 'failed' || query.get('eventType')) return null
  const [since, until] = ['from', 'to'].map((name) => query.get(name) ?? '')
  const range = new URLSearchParams({ since: since ?? '', until: until ?? '' }).toString()
  return html`<p><a href="${webhookPath(webhookId, `/replay?${range}`)}">Send all that match again</a></p>`
}

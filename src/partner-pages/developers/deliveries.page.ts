import { html } from '../../pages/html.ts'
import { dataTable, filterBar, pagingLinks, reloadLink } from '../../pages/lists.ts'
import { deliveredTypes, deliveryStatuses } from '../../webhooks/delivery/delivery.ts'
import { getWebhookRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import { keptDays } from '../../webhooks/history/kept-payloads.ts'
import { listDeliveriesRoute } from '../../webhooks/history/read-deliveries.route.ts'
import {
  choiceOf,
  chosen,
  deliveryPath,
  type ListedDelivery,
  latestOf,
  moment,
  period,
  statusOf,
  webhookPath,
} from './in-words.ts'
import { type DeveloperPage, titled } from './visit.ts'

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

/** The deliveries of a webhook, newest first. */
export const deliveriesPage: DeveloperPage = {
  name: 'deliveries',
  path: 'webhooks/:id/deliveries',
  may: 'webhooks:manage',
  async show({ call, query, parameters: { id } }) {
    const { webhookId, url } = await call(getWebhookRoute, { id })
    const filter = {
      status: chosen(query, 'status', deliveryStatuses),
      eventType: chosen(query, 'eventType', deliveredTypes),
      ...period.of(query),
      cursor: query.get('cursor') ?? undefined,
    }
    const { data, nextCursor } = await call(listDeliveriesRoute, { id, query: filter })
    const bar = filterBar({ query }, (form) => [
      choiceOf(form, 'status', 'Status', deliveryStatuses),
      choiceOf(form, 'eventType', 'Event type', deliveredTypes),
      ...period.fields(form),
    ])
    const empty = `No matching deliveries. Deliveries are kept for ${keptDays} days.`
    const body = html`<h1>Deliveries</h1><p>Messages sent to, or queued for, <code>${url}</code>.</p>${bar}
${dataTable({ caption: 'Deliveries, newest first', columns: deliveryColumns, empty }, data)}${pagingLinks({ query }, nextCursor)}${reloadLink()}`
    return titled('Deliveries', body, webhookPath(webhookId))
  },
}

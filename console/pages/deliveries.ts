import { html } from 'lit-html'
import { limits, type Operations } from '../api/partner-api.ts'
import type { OpenPage, PageContext } from '../page.ts'
import { deliveryRow } from '../parts/delivery-row.ts'
import { type Filter, filterForm, readChosenTime, readChosenValue } from '../parts/filters.ts'
import { createListing } from '../parts/listing.ts'
import { createLoader } from '../parts/loader.ts'
import { type Delivery, eventTypes, webhookHref } from '../parts/webhook-words.ts'

const statuses: readonly Delivery['status'][] = ['pending', 'delivered', 'failed']
const types: readonly Delivery['eventType'][] = [...eventTypes, 'webhook.verification']

const filters: readonly Filter[] = [
  {
    name: 'status',
    label: 'Status',
    kind: 'choice',
    choices: [
      { value: '', label: 'Any' },
      { value: 'pending', label: 'Pending' },
      { value: 'delivered', label: 'Delivered' },
      { value: 'failed', label: 'Failed' },
    ],
  },
  {
    name: 'eventType',
    label: 'Event type',
    kind: 'choice',
    choices: [{ value: '', label: 'Any' }, ...types.map((type) => ({ value: type, label: type }))],
  },
  { name: 'from', label: 'From (UK time)', kind: 'moment' },
  { name: 'to', label: 'Before (UK time)', kind: 'moment' },
]

/** The deliveries of a webhook, newest first, filtered by the query. */
export const openDeliveries: OpenPage = (context, id) => {
  const { query } = context
  const filter = {
    status: readChosenValue(query, 'status', statuses),
    eventType: readChosenValue(query, 'eventType', types),
    createdAfter: readChosenTime(query, 'from'),
    createdBefore: readChosenTime(query, 'to'),
  }
  const webhook = createLoader(context, 'the webhook', () => context.call('getWebhook', { id }))
  const listing = createListing(context, {
    what: 'deliveries',
    readPage: (cursor) => context.call('listDeliveries', { id, query: { ...filter, cursor } }),
    row: deliveryRow,
    empty: html`<p>No matching deliveries. Deliveries are kept for ${limits.keptDays} days.</p>`,
  })
  return {
    title: 'Deliveries',
    trail: [
      { href: '/console/webhooks', label: 'Webhooks' },
      { href: webhookHref(id), label: 'Webhook' },
    ],
    load: async () => {
      await Promise.all([listing.load(), webhook.load()])
    },
    view: () => html`<p class="lead">
        Messages sent to, or queued for, ${webhook.data() === undefined ? 'the webhook' : html`<code>${webhook.data()?.url}</code>`}.
      </p>
      ${filterForm(context, filters)} ${listing.view()}`,
  }
}

/** Loads the deliveries of a webhook that match a query. */
export function createDeliveryLoader(context: PageContext, id: string, query: Operations['listDeliveries']['query']) {
  return createLoader(context, 'its deliveries', () => context.call('listDeliveries', { id, query }))
}

import { html, nothing, type TemplateResult } from 'lit-html'
import { limits, type Operations } from '../api/partner-api.ts'
import type { OpenPage } from '../page.ts'
import { type Filter, filterForm, readChosenTime, readChosenValue } from '../parts/filters.ts'
import { createListing } from '../parts/listing.ts'
import { moment } from '../parts/moment.ts'
import { eventHref, eventTypes } from '../parts/webhook-words.ts'
import { momentInWords } from '../time.ts'

type LoggedEvent = Operations['getEvent']['response']

const filters: readonly Filter[] = [
  {
    name: 'type',
    label: 'Type',
    kind: 'choice',
    choices: [{ value: '', label: 'Any' }, ...eventTypes.map((type) => ({ value: type, label: type }))],
  },
  { name: 'quoteId', label: 'Quote id', kind: 'text' },
  { name: 'from', label: 'From (UK time)', kind: 'moment' },
  { name: 'to', label: 'Before (UK time)', kind: 'moment' },
  {
    name: 'order',
    label: 'Order',
    kind: 'choice',
    choices: [
      { value: '', label: 'Newest first' },
      { value: 'oldest', label: 'Oldest first' },
    ],
  },
]

/** All events, whether or not they were sent to a webhook, filtered by the query. */
export const openEvents: OpenPage = (context) => {
  const { query } = context
  const filter = {
    type: readChosenValue(query, 'type', eventTypes),
    quoteId: query.get('quoteId') || undefined,
    createdAfter: readChosenTime(query, 'from'),
    createdBefore: readChosenTime(query, 'to'),
    order: readChosenValue(query, 'order', ['oldest'] as const),
  }
  const listing = createListing(context, {
    what: 'events',
    readPage: (cursor) => context.call('listEvents', { query: { ...filter, cursor } }),
    row,
    empty: html`<p>No matching events. Events are kept for ${limits.keptDays} days.</p>`,
  })
  return {
    title: 'Events',
    load: listing.load,
    view: () => html`<p class="lead">All your events, whether or not they were sent to a webhook.</p>
      ${filterForm(context, filters)} ${listing.view()}`,
  }
}

function row(event: LoggedEvent): TemplateResult {
  const { id, type, timestamp, data } = event
  return html`<p><a href=${eventHref(id)}>${type}<span class="unseen"> of ${momentInWords(timestamp)}</span></a> ${change(event)}</p>
    <p class="quiet">${moment(timestamp)}</p>
    ${'quoteId' in data ? html`<p class="quiet"><code>${data.quoteId}</code>${data.reference === null ? '' : ` · ${data.reference}`}</p>` : nothing}`
}

/**
 * Describes what changed: the value of the member whose name begins with `previous`, then that of the member without
 * this prefix.
 */
function change({ data }: LoggedEvent): string {
  const members = new Map<string, unknown>(Object.entries(data))
  const previous = [...members.keys()].find((name) => /^previous[A-Z]/.test(name))
  if (previous === undefined) return ''
  const now = `${previous.charAt(8).toLowerCase()}${previous.slice(9)}`
  return `${members.get(previous) ?? 'new'} → ${members.get(now)}`
}

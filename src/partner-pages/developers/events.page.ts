import { eventTypes } from '../../events/event.ts'
import { selectField, textField } from '../../pages/fields.ts'
import { html } from '../../pages/html.ts'
import { dataTable, filterBar, pagingLinks } from '../../pages/lists.ts'
import type { PresentedEvent } from '../../webhooks/event.schema.ts'
import { listEventsRoute } from '../../webhooks/events/list-events.route.ts'
import { keptDays } from '../../webhooks/history/kept-payloads.ts'
import { choiceOf, chosen, moment, period } from './in-words.ts'
import { type DeveloperPage, root } from './visit.ts'

const columns = [
  {
    heading: 'Type',
    cell: ({ id, type }: PresentedEvent) => html`<a href="${root}/events/${id}">${type}</a>`,
  },
  { heading: 'Happened', cell: ({ timestamp }: PresentedEvent) => moment(timestamp) },
  { heading: 'Change', cell: changeOf },
  {
    heading: 'Quote',
    cell: ({ data }: PresentedEvent) =>
      'quoteId' in data &&
      html`<code>${data.quoteId}</code>${'reference' in data && data.reference !== null && ` · ${data.reference}`}`,
  },
]

/** All events, whether or not a webhook was notified. */
export const eventsPage: DeveloperPage = {
  name: 'events',
  may: 'webhooks:manage',
  async show({ call, query }) {
    const filter = {
      type: chosen(query, 'type', eventTypes),
      quoteId: query.get('quoteId')?.trim(),
      ...period.of(query),
      order: chosen(query, 'order', ['newest', 'oldest']),
      cursor: query.get('cursor') ?? undefined,
    }
    const { data, nextCursor } = await call(listEventsRoute, { query: filter })
    const orders = [
      { value: 'newest', label: 'Newest first' },
      { value: 'oldest', label: 'Oldest first' },
    ]
    const bar = filterBar({ query }, (form) => [
      choiceOf(form, 'type', 'Type', eventTypes),
      textField(form, { name: 'quoteId', label: 'Quote id', maxLength: 100 }),
      ...period.fields(form),
      selectField(form, { name: 'order', label: 'Order', options: orders }),
    ])
    const empty = `No matching events. Events are kept for ${keptDays} days.`
    // From the oldest on there is always a cursor, for programs that follow the list.
    const next = data.length === 0 ? null : nextCursor
    const body = html`<h1>Events</h1><p>All your events, whether or not they were sent to a webhook.</p>${bar}
${dataTable({ caption: 'Events', columns, empty }, data)}${pagingLinks({ query }, next)}`
    return { title: 'Events', body }
  },
}

/** What changed: the member whose name begins with `previous`, then the one without. */
function changeOf({ data }: PresentedEvent): string {
  const members = new Map<string, unknown>(Object.entries(data))
  const previous = [...members.keys()].find((name) => /^previous[A-Z]/.test(name))
  if (previous === undefined) return ''
  const now = `${previous.charAt(8).toLowerCase()}${previous.slice(9)}`
  return `${members.get(previous) ?? 'new'} → ${members.get(now)}`
}

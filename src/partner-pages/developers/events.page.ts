import { eventTypes } from '../../events/event.ts'
import { textField } from '../../pages/fields.ts'
import { hiddenFields } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { csvLink, csvOfList, dataTable, filterBar, pagingLinks, timeOrderIn } from '../../pages/lists.ts'
import type { PresentedEvent } from '../../webhooks/event.schema.ts'
import { listEventsRoute } from '../../webhooks/event-log/list-events.route.ts'
import { keptDays } from '../../webhooks/history/kept-payloads.ts'
import { type DeveloperPage, root } from './developer-visit.ts'
import { choiceOf, chosen, maxPage, moment, period } from './in-words.ts'

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

const csvLineOf = ({ id, type, timestamp, data }: PresentedEvent) => ({
  ...{ id, type, timestamp, change: changeOf({ data }) },
  quoteId: 'quoteId' in data ? data.quoteId : null,
  reference: 'reference' in data ? data.reference : null,
})

/** All events, whether or not a webhook was notified. */
export const eventsPage: DeveloperPage = {
  name: 'events',
  may: 'webhooks:manage',
  async show({ call, query, path }) {
    const filter = {
      type: chosen(query, 'type', eventTypes),
      quoteId: query.get('quoteId')?.trim(),
      ...period.of(query),
      order: timeOrderIn(query),
    }
    const read = (cursor: string | undefined) => call(listEventsRoute, { query: { ...filter, cursor, limit: maxPage } })
    const csv = await csvOfList({ query, path }, 'events', read, csvLineOf)
    if (csv !== undefined) return csv
    const cursor = query.get('cursor') ?? undefined
    const { data, nextCursor } = await call(listEventsRoute, { query: { ...filter, cursor } })
    const bar = filterBar({ query }, (form) => [
      choiceOf(form, 'type', 'Type', eventTypes),
      textField(form, { name: 'quoteId', label: 'Quote id', maxLength: 100 }),
      ...period.fields(form),
      hiddenFields([['order', filter.order]]),
    ])
    const empty = `No matching events. Events are kept for ${keptDays} days.`
    // From the oldest on there is always a cursor, for programs that follow the list.
    const next = data.length === 0 ? null : nextCursor
    const body = html`<h1>Events</h1><p>All your events, whether or not they were sent to a webhook.</p>${bar}
${dataTable({ caption: 'Events', columns, empty, sorted: { by: 'Happened', query } }, data)}${pagingLinks({ query }, next)}${csvLink({ query })}`
    return { title: 'Events', body }
  },
}

/** What changed: the member whose name begins with `previous`, then the one without. */
function changeOf({ data }: Pick<PresentedEvent, 'data'>): string {
  const members = new Map<string, unknown>(Object.entries(data))
  const previous = [...members.keys()].find((name) => /^previous[A-Z]/.test(name))
  if (previous === undefined) return ''
  const now = `${previous.charAt(8).toLowerCase()}${previous.slice(9)}`
  return `${members.get(previous) ?? 'new'} → ${members.get(now)}`
}

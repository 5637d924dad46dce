import type { Static } from 'typebox'
import { textField } from '../../pages/fields.ts'
import { html } from '../../pages/html.ts'
import { csvLink, csvOfList, dataTable, filterBar, pagingLinks } from '../../pages/lists.ts'
import { listRequestsRoute } from '../../sandbox/requests/list-requests.route.ts'
import { keptRequestDays, keptRequests } from '../../sandbox/requests/logged-request.ts'
import type { DeveloperPage } from './developer-visit.ts'
import { durationInWords, maxPage, moment, period } from './in-words.ts'

type Request = Static<(typeof listRequestsRoute)['reply']>['data'][number]

const columns = [
  { heading: 'Sent', cell: ({ createdAt }: Request) => moment(createdAt) },
  { heading: 'Operation', cell: ({ operation }: Request) => operation },
  { heading: 'Route', cell: ({ method, route }: Request) => html`<code>${method} ${route}</code>` },
  {
    heading: 'Response',
    cell: ({ status, code }: Request) =>
      html`${status}${code && html` <a href="/docs/errors/${code}"><code>${code}</code></a>`}`,
  },
  { heading: 'Took', cell: ({ durationMs }: Request) => durationInWords(durationMs), holds: 'figures' as const },
  { heading: 'Request id', cell: ({ requestId }: Request) => html`<code>${requestId}</code>` },
]

/** What the partner's programs sent to a sandbox, without bodies and ids. */
export const requestsPage: DeveloperPage = {
  name: 'requests',
  may: 'sandbox:steer',
  async show({ call, query, path }) {
    const status = Number(query.get('status'))
    const filter = {
      operation: query.get('operation')?.trim(),
      status: status >= 100 && status <= 599 ? status : undefined,
      ...period.of(query),
    }
    const read = (cursor: string | undefined) =>
      call(listRequestsRoute, { query: { ...filter, cursor, limit: maxPage } })
    const csv = await csvOfList({ query, path }, 'requests', read, (request) => request)
    if (csv !== undefined) return csv
    const cursor = query.get('cursor') ?? undefined
    const { data, nextCursor } = await call(listRequestsRoute, { query: { ...filter, cursor } })
    const bar = filterBar({ query }, (form) => [
      textField(form, { name: 'operation', label: 'Operation', maxLength: 100 }),
      textField(form, { name: 'status', label: 'HTTP status', inputMode: 'numeric', maxLength: 3, size: 'short' }),
      ...period.fields(form),
    ])
    const empty = `No matching requests. The latest ${keptRequests.toLocaleString('en-GB')} of the last ${keptRequestDays} days are kept.`
    const body = html`<h1>Requests</h1><p>What your programs sent to this sandbox, newest first.</p>${bar}
${dataTable({ caption: 'Requests, newest first', columns, empty }, data)}${pagingLinks({ query }, nextCursor)}${csvLink({ query })}`
    return { title: 'Requests', body }
  },
}

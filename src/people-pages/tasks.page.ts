import { listTasks } from '../back-office/tasks/list-tasks.ts'
import { taskKindNames } from '../back-office/tasks/task-kinds.ts'
import { selectField } from '../pages/fields.ts'
import { html } from '../pages/html.ts'
import { csvLink, csvOfList, dataTable, filterBar, maxCsvRows } from '../pages/lists.ts'
import type { DeskVisit, PersonPage } from './person-page.ts'

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/London' })

/** A time as people in the United Kingdom read it, such as "28 Nov 2026, 18:10". */
export function inWords(at: Date): string {
  return format.format(at)
}

const shownTasks = 100
const kindInWords = (kind: string) => kind.replaceAll('_', ' ')

/** What waits for the operator. */
export const tasksPage: PersonPage<DeskVisit> = {
  name: 'tasks',
  may: 'contracts:read',
  menu: 'Tasks',
  async show({ deps, path, query }) {
    const kind = taskKindNames.find((name) => name === query.get('kind'))
    const read = (limit: number) => listTasks(deps, { kind, after: undefined, limit })
    const readAll = async () => {
      const { tasks, hasMore } = await read(maxCsvRows)
      return { data: tasks, nextCursor: hasMore ? 'more' : null }
    }
    const csv = await csvOfList({ query, path }, 'tasks', readAll, ({ since, ...task }) => ({
      ...task,
      since: since.toISOString(),
    }))
    if (csv !== undefined) return csv
    const { tasks, hasMore } = await read(shownTasks)
    const kinds = taskKindNames.map((value) => ({ value, label: kindInWords(value) }))
    const bar = filterBar({ query }, (form) =>
      selectField(form, { name: 'kind', label: 'What', options: [{ value: '', label: 'Any' }, ...kinds] }),
    )
    const body = html`<h1>Tasks</h1>${bar}
${dataTable(
  {
    caption: 'What waits for you',
    empty: kind === undefined ? 'Nothing waits for you.' : 'Nothing of this kind waits for you.',
    columns: [
      { heading: 'What', cell: (task) => kindInWords(task.kind) },
      { heading: 'Due', cell: ({ due }) => due ?? 'No day' },
      { heading: 'Since', cell: ({ since }) => inWords(since) },
      {
        heading: 'About',
        cell: ({ contractNumber, entryId, reportId, queryId, customerId, quoteId, partnerId }) =>
          queryId ?? contractNumber ?? entryId ?? reportId ?? customerId ?? quoteId ?? partnerId,
      },
    ],
  },
  tasks,
)}${hasMore && html`<p>These are the first ${shownTasks}.</p>`}${csvLink({ query })}`
    return { title: 'Tasks', body }
  },
}

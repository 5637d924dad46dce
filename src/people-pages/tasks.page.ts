import { listTasks } from '../back-office/tasks/list-tasks.ts'
import { html } from '../pages/html.ts'
import { dataTable } from '../pages/lists.ts'
import type { DeskVisit, PersonPage } from './person-page.ts'

const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Europe/London' })

/** A time as people in the United Kingdom read it, such as "28 Nov 2026, 18:10". */
export function inWords(at: Date): string {
  return format.format(at)
}

const shownTasks = 100

/** What waits for the operator. */
export const tasksPage: PersonPage<DeskVisit> = {
  name: 'tasks',
  may: 'contracts:read',
  menu: 'Tasks',
  async show({ deps }) {
    const { tasks, hasMore } = await listTasks(deps, { kind: undefined, after: undefined, limit: shownTasks })
    const body = html`<h1>Tasks</h1>
${dataTable(
  {
    caption: 'What waits for you',
    empty: 'Nothing waits for you.',
    columns: [
      { heading: 'What', cell: ({ kind }) => kind.replaceAll('_', ' ') },
      { heading: 'Due', cell: ({ due }) => due ?? 'No day' },
      { heading: 'Since', cell: ({ since }) => inWords(since) },
      {
        heading: 'About',
        cell: ({ contractNumber, entryId, reportId, customerId, quoteId, partnerId }) =>
          contractNumber ?? entryId ?? reportId ?? customerId ?? quoteId ?? partnerId,
      },
    ],
  },
  tasks,
)}${hasMore && html`<p>These are the first ${shownTasks}.</p>`}`
    return { title: 'Tasks', body }
  },
}

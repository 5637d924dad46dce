import Type from 'typebox'
import { Choice } from '../../platform/http/schemas/named.ts'
import { cursorAfter, matchCursor, pageQuery } from '../../platform/http/schemas/page.ts'
import { timestamp } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { listTasks } from './list-tasks.ts'
import { maxTaskPage, TaskList } from './task.schema.ts'
import { taskKindNames } from './task-kinds.ts'
import type { TaskPosition } from './tasks.store.ts'

const cursorPattern = new RegExp(`^(\\d{4}-\\d{2}-\\d{2}|-) (${taskKindNames.join('|')}) (.+)$`)

function positionOf(cursor: string): TaskPosition {
  const [, due = '', kind = '', id = ''] = matchCursor(cursor, cursorPattern)
  return { due: due === '-' ? null : isoDate(due), kind, id }
}

export const listTasksRoute = operatorRoute({
  operationId: 'listTasks',
  path: '/Tasks',
  tag: 'Tasks',
  summary: 'List what waits for you',
  description:
    'Returns what somebody has to decide or do, of all partners: the first due first, then what has no due day. A task leaves the list when what it is about has been settled.',
  scope: 'contracts:read',
  query: Type.Object(
    {
      kind: Type.Optional(Choice(taskKindNames, 'Only tasks of this kind.')),
      ...pageQuery({ items: 'tasks', max: maxTaskPage, standard: 100, repeat: ' Send the same `kind` with it.' }),
    },
    { additionalProperties: false },
  ),
  reply: TaskList,
  errors: ['validation_failed'],
  handle: (deps, _caller, { query: { kind, limit = 100, cursor } }) =>
    listTasks(deps, { kind, after: cursor === undefined ? undefined : positionOf(cursor), limit }),
  present: ({ tasks, hasMore }) => ({
    data: tasks.map(({ id: _, since, ...task }) => ({ ...task, since: timestamp(since) })),
    nextCursor: cursorAfter(tasks, hasMore, ({ due, kind, id }) => `${due ?? '-'} ${kind} ${id}`),
  }),
})

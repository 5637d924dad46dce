import Type from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { Choice, Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { cursorAfter, matchCursor, pageFields, pageQuery } from '../../platform/http/schemas/page.ts'
import { DateOnly, Id, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { listTasks } from './list-tasks.ts'
import { taskKindNames, taskKinds } from './task-kinds.ts'
import type { TaskPosition } from './tasks.store.ts'

const maxTaskPage = 1_000

const kindWords = Object.entries(taskKinds).map(([kind, words]) => `- \`${kind}\`: ${words}`)
const TaskObject = ResponseObject('Task', 'Something that waits for the operator. The ids say what it is about.', {
  kind: Choice(taskKindNames, `What there is to do.\n\n${kindWords.join('\n')}`),
  since: Timestamp('Since when it waits, on the clock of the partner.'),
  due: Nullable(DateOnly('The day by which it must be done; null if there is none.')),
  partnerId: Id('The id of the partner.'),
  quoteId: Nullable(Id('The id of the quote.')),
  customerId: Nullable(Id('The id of the customer.')),
  contractNumber: Nullable(ContractNumber),
  entryId: Nullable(Id('The id of the payment.')),
  reportId: Nullable(Id('The id of the payment that belongs to nothing.')),
  queryId: Nullable(Id('The id of what a partner asks about its commission.')),
})

export const TaskList = ResponseObject('TaskList', 'One page of a list.', pageFields(TaskObject, { max: maxTaskPage }))

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

import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import { type TaskKind, taskKindNames } from './task-kinds.ts'
import { listTasks as listTaskRows, type Task, type TaskPosition } from './tasks.store.ts'

/** GET /operator-api/Tasks: a page of what waits for the operator, the first due first. */
export async function listTasks(
  { db, clock, bankHolidays }: { db: Database; clock: Clock; bankHolidays: BankHolidays },
  { kind, after, limit }: { kind: TaskKind | undefined; after: TaskPosition | undefined; limit: number },
): Promise<{ tasks: Task[]; hasMore: boolean }> {
  const kinds = kind === undefined ? taskKindNames : [kind]
  const found = await listTaskRows(db, { kinds, now: clock.now(), bankHolidays, after, limit: limit + 1 })
  return { tasks: found.slice(0, limit), hasMore: found.length > limit }
}

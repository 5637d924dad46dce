import type { Database } from '../../platform/db/database.ts'
import type { Clock } from '../../platform/kernel/clock.ts'
import { watched } from '../../platform/kernel/refreshed.ts'
import type { BankHolidays } from '../../platform/kernel/working-days.ts'
import type { TaskKind } from '../tasks/task-kinds.ts'
import { countTasks } from '../tasks/tasks.store.ts'
import { countUnacknowledged, countUnreported } from './feed-rows.store.ts'

/** Enough to see that something is wrong. */
const countedAtMost = 1_000

/** Counts the contracts that wait for the back office, at most every 30 seconds and up to 1,000. */
export function watchUnacknowledged(system: Database): () => Promise<number | undefined> {
  return watched(() => countUnacknowledged(system, countedAtMost), 30_000)
}

/**
 * Counts the services that began without a report, up to 1,000. It reads every contract in force, so at most every 10
 * minutes.
 */
export function watchUnreported(system: Database, clock: Clock): () => Promise<number | undefined> {
  return watched(() => countUnreported(system, { now: clock.now(), limit: countedAtMost }), 600_000)
}

/** Counts the operator's tasks of each kind, at most every 30 seconds and up to 1,000 of each. */
export function watchTasks(
  system: Database,
  { clock, bankHolidays }: { clock: Clock; bankHolidays: BankHolidays },
): () => Promise<Readonly<Record<TaskKind, number>> | undefined> {
  return watched(() => countTasks(system, { now: clock.now(), bankHolidays, limit: countedAtMost }), 30_000)
}

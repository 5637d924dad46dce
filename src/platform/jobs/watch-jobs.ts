import type { Database } from '../db/database.ts'
import { type JobSchedule, readJobAges } from './scheduled-jobs.store.ts'

/** How jobs do, in seconds, by their names. */
interface JobHealth {
  /** How long ago each last succeeded in any process or, if it never has, was new. */
  sinceSuccess: Record<string, number>
  /** By how much that is more than the time between two runs, but for the present run; 0 if it is not. */
  late: Record<string, number>
}

/** Returns a function that reads how the jobs do. It returns undefined while the database does not respond. */
export function watchJobs(db: Database, jobs: readonly JobSchedule[]): () => Promise<JobHealth | undefined> {
  const periods = new Map(jobs.map(({ name, everyMinutes }) => [name, everyMinutes * 60]))
  return async () => {
    const ages = await readJobAges(db, [...periods.keys()]).catch(() => undefined)
    if (ages === undefined) return undefined
    const late = ages.map(
      ({ name, secondsWithoutRun }) => [name, Math.max(0, secondsWithoutRun - (periods.get(name) ?? 0))] as const,
    )
    const sinceSuccess = ages.map(({ name, seconds }) => [name, seconds] as const)
    return { sinceSuccess: Object.fromEntries(sinceSuccess), late: Object.fromEntries(late) }
  }
}

import type { Database } from '../db/database.ts'
import { sql } from '../db/sql.ts'

/** When a job is due: `atMinute` minutes after midnight UTC, and every `everyMinutes` minutes from then on. */
interface Schedule {
  everyMinutes: number
  atMinute: number
}

export interface JobSchedule extends Schedule {
  name: string
}

/** The first time after now at which the schedule is due. */
function nextDue({ everyMinutes, atMinute }: Schedule) {
  return sql`
    date_bin(${everyMinutes}::int * interval '1 minute', now(),
             timestamptz '2000-01-01Z' + ${atMinute}::int * interval '1 minute')
      + ${everyMinutes}::int * interval '1 minute'`
}

/**
 * Adds the job if it is new. If its schedule has become more frequent, the job is due earlier. Otherwise nothing
 * changes.
 */
export async function declareJob(db: Database, { name, ...schedule }: JobSchedule): Promise<void> {
  await db.query(sql`
    insert into scheduled_jobs (name, due_at) values (${name}, ${nextDue(schedule)})
    on conflict (name) do update set due_at = excluded.due_at where scheduled_jobs.due_at > excluded.due_at`)
}

/** A process that runs jobs, and how long its lease lasts after each claim or renewal. */
export interface Runner {
  id: string
  leaseMs: number
}

/**
 * Leases the due jobs among `names` to the runner and returns them. `nextMs` is the time in milliseconds until the
 * first of the other jobs can be claimed; null if there are no others.
 */
export async function claimDueJobs(
  db: Database,
  names: readonly string[],
  { id, leaseMs }: Runner,
): Promise<{ claimed: string[]; nextMs: number | null }> {
  const [row] = await db.query<{ claimed: string[]; nextMs: number | null }>(sql`
    with due as materialized (
      select name from scheduled_jobs
       where name = any(${names}) and due_at <= now() and (leased_until is null or leased_until <= now())
         for update skip locked
    ), claimed as (
      update scheduled_jobs set runner = ${id}, leased_until = now() + ${leaseMs}::int * interval '1 ms',
        started_at = now()
       where name in (select name from due) returning name
    )
    select array(select name from claimed) as claimed,
           (select ceil(extract(epoch from min(greatest(due_at, leased_until)) - now()) * 1000)::float8
              from scheduled_jobs
             where name = any(${names}) and name not in (select name from claimed)) as "nextMs"`)
  return row ?? { claimed: [], nextMs: null }
}

/** Extends the runner's lease. Returns false if the runner has lost the job. */
export async function renewLease(db: Database, name: string, { id, leaseMs }: Runner): Promise<boolean> {
  const renewed = await db.query(sql`
    update scheduled_jobs set leased_until = now() + ${leaseMs}::int * interval '1 ms'
     where name = ${name} and runner = ${id} returning name`)
  return renewed.length === 1
}

/** `stopped`: the process is ending, and another process may repeat the run immediately. */
export type RunOutcome = 'succeeded' | 'failed' | 'stopped'

/**
 * Ends the runner's lease and sets when the job is due next: as scheduled, or `retryMs` from now after a failure if
 * that is earlier. Returns the milliseconds until then, and how many runs in a row have failed; undefined if the runner
 * has lost the job.
 */
export async function endRun(
  db: Database,
  { name, ...schedule }: JobSchedule,
  { runnerId, outcome, retryMs }: { runnerId: string; outcome: RunOutcome; retryMs: number },
): Promise<{ dueInMs: number; failures: number } | undefined> {
  const due = {
    succeeded: nextDue(schedule),
    failed: sql`least(${nextDue(schedule)}, now() + ${retryMs}::int * interval '1 ms')`,
    stopped: sql`due_at`,
  }[outcome]
  const change = {
    succeeded: sql`succeeded_at = now(), failures = 0`,
    failed: sql`failures = failures + 1`,
    stopped: sql`failures = failures`,
  }[outcome]
  const [row] = await db.query<{ dueInMs: number; failures: number }>(sql`
    update scheduled_jobs set due_at = ${due}, runner = null, leased_until = null, ${change}
     where name = ${name} and runner = ${runnerId}
    returning ceil(extract(epoch from due_at - now()) * 1000)::float8 as "dueInMs", failures`)
  return row
}

/** When a job last succeeded or, if it never has, was new: how many seconds ago, and before its present run began. */
interface JobAge {
  name: string
  seconds: number
  /** The same as `seconds` if no run is under way, or one that has taken more than two hours. */
  secondsWithoutRun: number
}

/** How long ago these jobs last succeeded. */
export function readJobAges(db: Database, names: readonly string[]): Promise<JobAge[]> {
  return db.query<JobAge>(sql`
    select name, extract(epoch from now() - coalesce(succeeded_at, declared_at))::float8 as seconds,
           extract(epoch from case when leased_until > now() and started_at > now() - interval '2 hours' then started_at
                                   else now() end - coalesce(succeeded_at, declared_at))::float8 as "secondsWithoutRun"
      from scheduled_jobs where name = any(${names})`)
}

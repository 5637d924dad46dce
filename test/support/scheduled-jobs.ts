/**
 * Makes the scheduled jobs of a migrated database wait, also those that are declared later, as if another process were
 * running them. Every test database begins so: a job that comes due on the wall clock would do what a test does, or
 * change what it compares. Tests run jobs by hand.
 */
export const holdJobs = `
  alter table scheduled_jobs
    alter runner set default gen_random_uuid(), alter leased_until set default now() + interval '100 years';
  update scheduled_jobs set runner = gen_random_uuid(), leased_until = now() + interval '100 years'`

/** Gives the jobs of a new database the schedule that `holdJobs` took, for a test about the schedule. */
export const releaseJobs = `
  alter table scheduled_jobs alter runner drop default, alter leased_until drop default`

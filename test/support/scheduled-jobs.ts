import { rawRows } from './customer-fixtures.ts'
import type { ServiceUnderTest } from './service.ts'

/** The jobs of a sandbox, in the order of their names. */
export const jobNames = [
  'delete-at-processor',
  'end-contracts',
  'end-locks',
  'housekeeping',
  'pay-refunds',
  'purge-webhooks',
  'queue-tenant-mails',
  'reconcile-setup-intents',
  'record-commission',
  'remove-old-payloads',
  'remove-old-personal-data',
  'review-psr',
  'sandbox-requests',
  'send-mails',
  'send-tenant-mails',
  'sweep-collections',
  'warn-of-expiry',
] as const

/**
 * Keeps a service from running these jobs, as if another process were running them. Otherwise one that comes due during
 * a test does what the test does. Call this at the start.
 */
export async function holdJobs(
  service: Pick<ServiceUnderTest, 'connectionString'>,
  ...names: (typeof jobNames)[number][]
): Promise<void> {
  await rawRows(
    service,
    `insert into scheduled_jobs (name, due_at, runner, leased_until)
     select name, now(), gen_random_uuid(), now() + interval '1 year' from unnest($1::text[]) as name
     on conflict (name) do update set runner = excluded.runner, leased_until = excluded.leased_until`,
    [names],
  )
}

import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { expiredRowsJob } from '../../../src/app/expired-rows.job.ts'
import type { ScheduledJob } from '../../../src/platform/jobs/scheduler.ts'
import { systemClock } from '../../../src/platform/kernel/clock.ts'
import { processorDeletionsJob } from '../../../src/privacy/processor-deletions.job.ts'
import { deletedWebhooksJob } from '../../../src/webhooks/endpoints/deleted-webhooks.job.ts'
import { webhookRetentionJob } from '../../../src/webhooks/history/webhook-retention.job.ts'
import { openLab } from '../../webhooks/webhook-fixture.ts'

/**
 * Creates a webhook with more ended deliveries than fit in one batch, all of them 40 days old. Gives access to the log
 * and to the number of deliveries left.
 */
async function openBacklog(t: TestContext) {
  const lab = await openLab(t)
  const { webhookId } = await lab.register({ url: 'https://receiver.test/' })
  await lab.rows('delete from delivery_queue')
  await lab.rows(
    `insert into delivery_history (delivery_id, partner_id, webhook_id, message_id, event_type, own_body, status,
     created_at)
     select 'delivery_' || n, $1, $2, 'msg_' || n, 'webhook.test', '{}', 'delivered', now() - interval '40 days'
       from generate_series(1, 1500) n`,
    [lab.caller.partnerId, webhookId],
  )
  const logged: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void logged.push(JSON.parse(line)) })
  return { ...lab, logged, log, left: async () => (await lab.rows('select from deliveries')).length }
}

const never = new AbortController().signal

/** Asserts that the first run removes everything and logs how much, and that the second removes and logs nothing. */
async function assertEmpties(
  { left, logged }: Awaited<ReturnType<typeof openBacklog>>,
  job: ScheduledJob,
  said: Record<string, number>,
): Promise<void> {
  logged.length = 0
  await job.run(never)
  assert.equal(await left(), 0)
  assert.equal(logged.length, 1)
  assert.deepEqual({ ...logged[0], ...said }, logged[0])
  await job.run(never)
  assert.equal(logged.length, 1)
}

test('the retention job removes everything in one run, even if that takes several batches', async (t) => {
  const lab = await openBacklog(t)
  const job = webhookRetentionJob({ ...lab, requireVerification: false })
  await job.run(AbortSignal.abort())
  assert.equal(await lab.left(), 500, 'a job that was told to stop removes only one batch')
  await assertEmpties(lab, job, { deliveries: 500 })
})

test('one run of the purge job removes everything that a deleted webhook left behind, even if that takes several batches', async (t) => {
  const lab = await openBacklog(t)
  const job = deletedWebhooksJob(lab)
  await job.run(never)
  assert.equal(await lab.left(), 1_500, 'a webhook that has not been deleted keeps its rows')
  await lab.rows(`update webhooks set status = 'disabled', deleted_at = now() - interval '6 minutes'`)
  await job.run(AbortSignal.abort())
  assert.equal(await lab.left(), 1_500)
  await assertEmpties(lab, job, { rows: 1_501 })
  assert.deepEqual(await lab.rows('select from webhooks'), [])
})

test('the housekeeping job removes expired stored responses, revocations and sessions of programs, and no others', async (t) => {
  const lab = await openBacklog(t)
  await lab.rows(
    `insert into idempotency_keys (partner_id, key, request_sha256, claim_id, claimed_until, created_at, expires_at)
     select $1, 'key ' || hours, 'hash', 'claim', now(), now(), now() + make_interval(hours => hours)
       from unnest('{-2,-1,1}'::integer[]) hours`,
    [lab.caller.partnerId],
  )
  await lab.rows(
    `insert into program_sessions (session_hash, client_id, token_encrypted, expires_at)
     select 'hash ' || hours, 'sb_client', '', now() + make_interval(hours => hours)
       from unnest('{-1,1}'::integer[]) hours`,
  )
  await lab.rows(
    `with i as (insert into imports (import_id, partner_id, kind, created_by, created_at, changed_at)
       select 'import ' || days, $1, 'end', 'test', now(), now() - make_interval(days => days)
         from unnest('{29,31}'::integer[]) days returning import_id, partner_id)
     insert into import_rows (import_id, row_number, partner_id) select import_id, 1, partner_id from i`,
    [lab.caller.partnerId],
  )
  await lab.rows(
    `insert into revoked_tokens (token_id, expires_at)
     select 'token ' || hours, now() + make_interval(hours => hours) from unnest('{-2,-1,1}'::integer[]) hours`,
  )
  await expiredRowsJob({ ...lab, clock: systemClock }).run(never)
  assert.deepEqual(await lab.rows('select token_id from revoked_tokens'), [{ token_id: 'token 1' }])
  assert.deepEqual(await lab.rows('select import_id from import_rows'), [{ import_id: 'import 29' }])
  assert.deepEqual(await lab.rows('select key from idempotency_keys'), [{ key: 'key 1' }])
  assert.deepEqual(await lab.rows('select session_hash from program_sessions'), [{ session_hash: 'hash 1' }])
  const [{ responses, programSessions, revocations } = {}] = lab.logged
  assert.deepEqual([responses, programSessions, revocations], [2, 1, 2])
})

test('the housekeeping job removes a backlog of stored responses in one run, in several transactions', async (t) => {
  const lab = await openBacklog(t)
  await lab.rows(
    `insert into idempotency_keys (partner_id, key, request_sha256, claim_id, claimed_until, created_at, expires_at)
     select $1, 'key ' || n, 'hash', 'claim', now(), now(), now() - n * interval '1 second'
       from generate_series(0, 2000) n`,
    [lab.caller.partnerId],
  )
  await lab.rows('create table batches (size int)')
  await lab.rows(`
    create function note_batch() returns trigger language plpgsql security definer as $$ begin
      insert into batches select count(*) from gone; return null; end $$;
    create trigger note after delete on idempotency_keys referencing old table as gone
      for each statement execute function note_batch()`)
  await expiredRowsJob({ ...lab, clock: systemClock }).run(never)
  assert.deepEqual(await lab.rows('select key from idempotency_keys'), [])
  assert.deepEqual(
    (await lab.rows('select size from batches')).map(({ size }) => size),
    [1_000, 1_000, 1],
  )
  assert.equal(lab.logged[0]?.responses, 2_001)
})

test('the processor deletion job requests all due deletions in one run, even if that takes several batches', async (t) => {
  const lab = await openBacklog(t)
  await lab.rows(
    `insert into processor_deletions (customer_id, partner_id, processor_customer_id)
     select 'tenant_' || n, $1, 'cus_' || n from generate_series(1, 45) n`,
    [lab.caller.partnerId],
  )
  const asked: string[] = []
  const paymentProcessor = {
    deleteCustomer: async ({ customerId }: { customerId: string }) => {
      if (customerId === 'tenant_45') throw new Error('not now')
      asked.push(customerId)
      return true
    },
  }
  const job = processorDeletionsJob({ ...lab, paymentProcessor })
  await job.run(AbortSignal.abort())
  assert.deepEqual(asked, [], 'a job that was told to stop requests nothing')
  await job.run(never)
  assert.equal(new Set(asked).size, asked.length)
  assert.equal(asked.length, 44)
  assert.deepEqual(await lab.rows('select customer_id from processor_deletions'), [{ customer_id: 'tenant_45' }])
  assert.ok(lab.logged.some(({ customerId }) => customerId === 'tenant_45'))
})

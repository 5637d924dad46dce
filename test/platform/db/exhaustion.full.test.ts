import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brokenInvariants } from '../../state/invariants.ts'
import { readStoredState } from '../../state/stored-state.ts'
import { type ApiResponse, connectPartner } from '../../support/client.ts'
import { codeOf, rejected, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { startTestService } from '../../support/service.ts'
import { waitFor } from '../../support/wait-for.ts'
import { startExhaustibleServer } from './exhausted-server.ts'

/*
 * PostgreSQL runs out of a resource and gets it back while the service keeps running. The errors are not simulated:
 * PostgreSQL itself reports them.
 */

const server = await startExhaustibleServer()
const service = await startTestService({}, { database: server.database })
after(async () => {
  await service.stop()
  await server.stop()
})
const partner = await connectPartner(service.baseUrl, service.credentials)
const { addressUid } = ordinaryProperty()
const create = (reference: string) =>
  partner.post('/Quotes', { addressUid, reference }, { headers: { 'Idempotency-Key': reference } })

/**
 * Creates quotes until a request is rejected. Returns that response and the references of the quotes created before it.
 */
async function createUntilRejected(
  prefix: string,
): Promise<{ rejection: ApiResponse; reference: string; made: string[] }> {
  const made: string[] = []
  for (let count = 0; count < 500; count += 1) {
    const reference = `${prefix}-${count}`
    const response = await create(reference)
    if (response.status !== 200) return { rejection: response, reference, made }
    made.push(reference)
  }
  throw new Error('no request was rejected')
}

function assertUnavailable(response: ApiResponse): void {
  rejected(response, 503, 'service_unavailable')
  assert.equal(response.headers.get('retry-after'), '2')
}

async function assertNothingHalfDone(): Promise<void> {
  assert.deepEqual(brokenInvariants(await readStoredState(service.connectionString)), [])
}

async function quotesWith(reference: string): Promise<number> {
  return succeeded(await partner.get(`/Quotes?reference=${reference}`)).data.length
}

/** Repeats a request until it succeeds. Until then, only 503 and `idempotency_in_flight` are allowed. */
async function retried<Success>(send: () => Promise<ApiResponse<Success>>): Promise<ApiResponse<Success>> {
  return waitFor('it recovers', send, (response) => {
    if (response.status === 200) return true
    assert.ok(response.status === 503 || codeOf(response) === 'idempotency_in_flight', response.text)
    return false
  })
}

/**
 * Asserts that the rejected request left nothing behind, and that repeating it with the resource back takes effect
 * exactly once.
 */
async function assertRecovers(reference: string): Promise<void> {
  const made = await retried(() => create(reference))
  assert.equal(made.headers.get('idempotent-replayed'), null)
  assert.equal(await quotesWith(reference), 1)
  await assertNothingHalfDone()
}

test('while files cannot grow, writes return 503 and leave nothing behind, and reads work; afterwards everything works', async () => {
  const { quoteId } = succeeded(await create('while-there-was-space'))
  // The limit on file sizes that is set below is the size of the table. Write-ahead log files of 16 MiB must stay
  // within it, so first make the table larger than that, with rows that leave no room for another in their block.
  await server.ask('alter table quotes alter column reference_encrypted set storage plain')
  const columns = String(
    (
      await server.ask(`select string_agg(column_name, ', ') as names from information_schema.columns
                        where table_name = 'quotes' and is_generated = 'NEVER'`)
    )?.names,
  )
  await server.ask(`
    insert into quotes (${columns}) select ${columns} from (select (jsonb_populate_record(q, jsonb_build_object(
      'quote_id', 'filler_' || n, 'reference_encrypted', repeat(md5(n::text), 70)))).*
      from quotes q, generate_series(1, 6500) n where q.quote_id = '${quoteId}') filler`)
  await server.ask(`delete from quotes where quote_id like 'filler%'`)
  const size = Number((await server.ask(`select pg_relation_size('quotes') as size`))?.size)
  assert.ok(size > 16 * 1_024 * 1_024, `${size} bytes`)

  await server.limitFiles(size)
  const { rejection, reference, made } = await createUntilRejected('full')
  assertUnavailable(rejection)
  assertUnavailable(await create(reference))
  assert.equal(await quotesWith(reference), 0)
  for (const each of [...made, 'while-there-was-space']) assert.equal(await quotesWith(each), 1)
  await assertNothingHalfDone()

  await server.limitFiles(undefined)
  await assertRecovers(reference)
})

test('while the device has no space left (ENOSPC), a write returns 503 and stores nothing; afterwards it succeeds', async () => {
  await server.ask(`
    create function write_to_full_device() returns trigger language plpgsql security definer as $$
      begin
        copy (select repeat('x', 100000)) to '/dev/full';
        return null;
      end $$`)
  await server.ask(`
    create trigger full_device after insert on quotes for each row execute function write_to_full_device()`)
  assertUnavailable(await create('no-space'))
  assert.equal(await quotesWith('no-space'), 0)
  await server.ask('drop trigger full_device on quotes')
  await assertRecovers('no-space')
})

test('while other clients hold every connection, requests return 503 and readiness fails; afterwards everything works', async () => {
  const giveBack = await server.takeConnections()
  assertUnavailable(await create('no-connection'))
  assertUnavailable(await partner.get('/Quotes'))
  assert.equal((await fetch(`${service.baseUrl}/health/ready`)).status, 503)
  assert.equal((await fetch(`${service.baseUrl}/health/live`)).status, 200)
  await giveBack()
  await assertRecovers('no-connection')
  await waitFor('the service is ready', async () => (await fetch(`${service.baseUrl}/health/ready`)).status === 200)
})

test('while the database is read-only, as in a failover, writes return 503 and reads work; afterwards everything works', async () => {
  const name = new URL(service.connectionString.replace(/^postgresql:\/\/\//, 'postgresql://x/')).pathname.slice(1)
  await server.ask(`alter database ${name} set default_transaction_read_only = on`)
  await server.cutConnections()
  assertUnavailable(await create('read-only'))
  assert.equal(await quotesWith('read-only'), 0)
  await server.ask(`alter database ${name} reset default_transaction_read_only`)
  await server.cutConnections()
  await assertRecovers('read-only')
})

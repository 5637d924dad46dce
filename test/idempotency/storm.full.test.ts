import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { routes } from '../../src/app/http/routes.ts'
import { isFullSize, wholeNumberFromEnv } from '../support/campaign-size.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { waitForProcessorWebhooks } from '../support/customer-fixtures.ts'
import { callEveryOperation, isPost, type SendRequest } from '../support/every-operation.ts'
import { succeeded } from '../support/responses.ts'
import { startSecondService, startTestService } from '../support/service.ts'
import { openConnections, sendStorm } from './same-key.ts'

/*
 * Counts the rows that committed transactions wrote. Two runs with the same counts had the same effects, however many
 * requests each sent.
 */

const install = `
  create schema counted;
  create table counted.rows (written text not null);
  create function counted.count_row() returns trigger language plpgsql security definer as $$
    begin
      -- A repeated request reads again, but has no other effect again.
      if tg_argv[0] = 'audit_log' then
        if new.action = 'read' then
          return null;
        end if;
      end if;
      -- What is shown of a card is read after the response, or by a job if the process was killed, so it may come before
      -- the contract or change it.
      if tg_argv[0] = 'contract_versions' then
        if new.change = 'payment_method_changed' then
          return null;
        end if;
      end if;
      insert into counted.rows values (tg_table_schema || '.' || tg_argv[0] || ' ' || tg_op);
      return null;
    end $$;
  grant usage on schema counted to public;
  do $$ declare each record; begin
    -- A trigger on a partitioned table is on its partitions too. Their rows count as the table's.
    for each in select relnamespace::regnamespace::text as schemaname, relname as tablename from pg_class
      where relkind in ('r', 'p') and not relispartition
        and relnamespace::regnamespace::text in ('public', 'simulated_processor') loop
      execute format('create trigger counted after insert or update or delete on %I.%I '
        'for each row execute function counted.count_row(%L)',
        each.schemaname, each.tablename, each.tablename);
    end loop;
  end $$;`

/** Starts counting the rows written to each table that exists now. */
async function startCountingWrittenRows(connectionString: string): Promise<void> {
  await runStatement(connectionString, install)
}

/**
 * The number of rows written since `startCountingWrittenRows`, by table and operation, such as `public.quotes INSERT`.
 */
async function countWrittenRows(connectionString: string): Promise<Map<string, number>> {
  const rows = await runStatement(
    connectionString,
    'select written, count(*)::int as count from counted.rows group by written order by written',
  )
  return new Map(rows.map(({ written, count }) => [String(written), Number(count)]))
}

async function runStatement(connectionString: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    return (await client.query(statement)).rows
  } finally {
    await client.end()
  }
}

interface Sent {
  operationId: string
  path: string
  body: unknown
  key: string
  text: string
}

/**
 * Tables whose rows are not effects of a request: the keys themselves, the list of requests, and tables that the worker
 * or the simulated processor writes later.
 * `deployment_settings` and `scheduled_jobs` contain the state of jobs between runs.
 */
const machinery = [
  /^public\.(delivery_history\w*|delivery_queue|deployment_settings|idempotency_keys|sandbox_requests|scheduled_jobs) /,
  /^public\.(events|webhooks) UPDATE$/,
  /^simulated_processor\.(outgoing_webhooks|idempotent_responses) /,
]

/** Keeps only the row counts of writes that are effects of a request. */
function filterEffects(written: ReadonlyMap<string, number>): Record<string, number> {
  return Object.fromEntries([...written].filter(([what]) => !machinery.some((pattern) => pattern.test(what))))
}

const environment = { WEBHOOK_ALLOW_LOOPBACK: 'true' }

test('every POST sent many times at once with one key has one effect and one response', async (t) => {
  const count = wholeNumberFromEnv('REQUESTS') ?? (isFullSize ? 1_000 : 60)
  // All requests come from one address, with a connection each.
  const service = await startTestService(environment, { serverLimits: { connectionsPerSite: 4_096 } })
  const connections = openConnections(service.baseUrl)
  try {
    await startCountingWrittenRows(service.connectionString)
    const partner = await connectPartner(service.baseUrl, service.credentials)
    const sent: Sent[] = []
    let inFlight = 0
    let unavailable = 0
    const storm: SendRequest = async (request) => {
      const { route, path, body } = request
      if (!isPost(route)) return sendOnce(partner)(request)
      const { operationId } = route
      const same = { path, body, key: `storm-of-${operationId}`, token: partner.token, count }
      const { text, ...rejected } = await sendStorm(connections, operationId, same)
      inFlight += rejected.inFlight
      unavailable += rejected.unavailable
      sent.push({ operationId, path, body, key: same.key, text })
      return JSON.parse(text)
    }
    await callEveryOperation(service, storm, sendOnce(partner))
    await waitForProcessorWebhooks(service)
    assert.deepEqual(
      filterEffects(await countWrittenRows(service.connectionString)),
      await countEffectsOfSingleRequests(),
      'effects',
    )
    const replay = async (by: Partner) => {
      for (const each of sent) await replaysExactly(by, each)
    }
    await replay(partner)
    await replay(await connectPartner(service.baseUrl, service.credentials))
    const restarted = await startSecondService(service)
    await replay(await connectPartner(restarted.baseUrl, service.credentials)).finally(() => restarted.stop())
    t.diagnostic(`${count} requests of each, in flight ${inFlight}, unavailable ${unavailable}`)
    assert.deepEqual(
      sent.map(({ operationId }) => operationId).sort(),
      routes
        .filter(isPost)
        .map(({ operationId }) => operationId)
        .sort(),
      'an operation was added: call it in scripts/generated/examples/journey.ts',
    )
    assert.ok(inFlight > 0, 'no request was rejected with idempotency_in_flight')
  } finally {
    await connections.close()
    await service.stop()
  }
})

async function replaysExactly(partner: Partner, { operationId, path, body, key, text }: Sent): Promise<void> {
  const again = await partner.post(path, body, { headers: { 'Idempotency-Key': key } })
  assert.equal(again.text, text, operationId)
  assert.equal(again.headers.get('idempotent-replayed'), 'true', operationId)
}

/** Sends each request once, and each POST with a key of its own if the keys have a prefix. */
function sendOnce(partner: Partner, keys?: string): SendRequest {
  return async ({ route: { method, operationId }, path, query, body }) => {
    const headers: Record<string, string> = keys === undefined ? {} : { 'Idempotency-Key': `${keys}-${operationId}` }
    return succeeded(await partner.send(method, `${path}${query}`, body, { headers }))
  }
}

/** Calls the same operations in the same order, but sends each request only once. Counts the rows written. */
async function countEffectsOfSingleRequests(): Promise<Record<string, number>> {
  const service = await startTestService(environment)
  try {
    await startCountingWrittenRows(service.connectionString)
    const partner = await connectPartner(service.baseUrl, service.credentials)
    await callEveryOperation(service, sendOnce(partner, 'single'), sendOnce(partner))
    await waitForProcessorWebhooks(service)
    return filterEffects(await countWrittenRows(service.connectionString))
  } finally {
    await service.stop()
  }
}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client, DatabaseError } from 'pg'
import { appRole, connectionStringAs, systemRole } from '../../src/platform/db/ensure-runtime-roles.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { readDatabaseContents } from '../support/database-contents.ts'
import { finalise, onboard, psrDetails, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'
import { startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { listOwnedTables, withClient } from './owned-tables.ts'

/*
 * Tests row-level security by itself: the statements run under the program's role, but name no partner or the wrong
 * one. Both partners have rows in every table.
 */
const service = await startTestService({
  WEBHOOK_ALLOW_LOOPBACK: 'true',
  WEBHOOK_REQUIRE_VERIFICATION: 'false',
  WEBHOOK_RETRY_SECONDS: '1,86400',
})
const owner = await connectPartner(service.baseUrl, service.credentials)
const stranger = await connectNewPartner(service)
for (const partner of [owner, stranger]) await leaveRowsEverywhere(partner)
const partners = (await rawRows(service, 'select partner_id from partners order by created_at')).map(({ partner_id }) =>
  String(partner_id),
)
const [own = '', foreign = ''] = partners
// Normally, this table has rows only after a processor outage. The rows inserted here are due in a year, so no worker
// uses them.
await rawRows(
  service,
  `insert into processor_deletions (customer_id, partner_id, due_at) select 'cus_' || p, p, now() + interval '1 year'
   from unnest($1::text[]) p`,
  [partners],
)
await rawRows(
  service,
  `insert into rate_card_partners (quoting_tool_version_id, partner_id) select 'price-cap-2026-q4-gb-average', p
   from unnest($1::text[]) p`,
  [partners],
)
await rawRows(
  service,
  `insert into partner_mails (mail_id, partner_id, kind, subject_id, subject_at, created_at, next_attempt_at)
   select 'mail_' || p, p, 'webhook_disabled', 'webhook_' || p, now(), now(), now() + interval '1 year'
     from unnest($1::text[]) p`,
  [partners],
)
await rawRows(
  service,
  `insert into tenant_sessions (session_hash, partner_id, customer_id, revision, expires_at, is_confirmed)
   select 'hash', p, 'tenant_1', 0, now(), false from unnest($1::text[]) p`,
  [partners],
)
await rawRows(
  service,
  `with invited as (
     insert into people (person_id, partner_id, details_encrypted, email_hash, roles, scopes, branches, invited_by,
                         invited_at)
     select 'person_' || p, p, 'details', 'hash', '{}', '{}', '{}', 'test', now() from unnest($1::text[]) p
     returning person_id, partner_id)
   insert into person_sessions (session_hash, session_id, partner_id, person_id, is_shared_mailbox, browser,
                                signed_in_at, last_seen_at, expires_at)
   select 'hash', 'session_' || partner_id, partner_id, person_id, false, '', now(), now(), now() from invited`,
  [partners],
)
await rawRows(
  service,
  `insert into tenant_mail_refusals (email_hash, partner_id, refused_at) select 'hash', p, now()
     from unnest($1::text[]) p`,
  [partners],
)
await rawRows(
  service,
  `insert into caused_mails (partner_id, quote_id, caused_by, kind, email_hash, caused_at, meets_cap)
   select p, 'quote_1', 'tenant_1', 'invitation', 'hash', now(), false from unnest($1::text[]) p`,
  [partners],
)
await rawRows(
  service,
  `with i as (insert into imports (import_id, partner_id, kind, created_by, created_at, changed_at)
     select 'import_' || p, p, 'end', 'test', now(), now() from unnest($1::text[]) p returning import_id, partner_id)
   insert into import_rows (import_id, row_number, partner_id) select import_id, 1, partner_id from i`,
  [partners],
)
const tables = await listOwnedTables(service.connectionString)
// No other process writes from here on, so every change comes from these tests.
await attemptsAreRecorded()
const before = await contentsOfPartners()

const asApp = new Client({ connectionString: connectionStringAs(appRole, service.connectionString) })
await asApp.connect()
after(async () => {
  await asApp.end()
  await service.stop()
})

/** Gives the open transaction its partner, as the program does. */
async function setPartner(partnerId: string): Promise<void> {
  await asApp.query(`select set_config('housebill.partner', $1, true)`, [partnerId])
}

async function leaveRowsEverywhere(partner: Partner): Promise<void> {
  const webhook = { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook, { headers: { 'Idempotency-Key': 'first' } }))
  const since = new Date(Date.now() - 60_000).toISOString()
  // The new challenge makes the first one invalid.
  succeeded(await partner.post(`/Webhooks/${webhookId}/send-verification`))
  const { replayId } = succeeded(await partner.post(`/Webhooks/${webhookId}/replay`, { since }))
  // Simulates the passing of 30 days.
  await rawRows(
    service,
    `insert into removed_events (partner_id, position, event_id) select partner_id, 0, replay_id from replays
     where replay_id = $1`,
    [replayId],
  )
  succeeded(await partner.post('/Addresses/match', { lines: ['nowhere'] }))
  const { lead, addressUid, quoteId: sold } = await startHousehold(partner, { tenants: 1 })
  await onboard(partner, lead, { psrDetails: psrDetails() })
  succeeded(
    await partner.post(`/Sandbox/quotes/${sold}/service-status`, { serviceId: 'gas-standard', status: 'requested' }),
  )
  await rawRows(
    service,
    `insert into contract_corrections (partner_id, quote_id, contract_number, mpan, reason, corrected_at)
     select partner_id, quote_id, contract_number, '1099850091430', 'exchanged', now() from contracts
       where quote_id = $1`,
    [sold],
  )
  await rawRows(
    service,
    `insert into meter_readings (partner_id, quote_id, customer_id, service, read_on, reading, reported_at)
     select partner_id, quote_id, customer_id, 'gas', starts_on, 1, now() from contracts where quote_id = $1`,
    [sold],
  )
  await rawRows(
    service,
    `with k as (select * from contracts where quote_id = $1), q as (
       insert into tenancy_end_questions (contract_number, partner_id, last_day, quote_id, reason, is_household, asked_at,
                                          closes_on)
       select contract_number, partner_id, ends_on, quote_id, 'tenancy_ended', true, now(), ends_on from k)
     insert into tenancy_end_reports (partner_id, quote_id, source, reason, last_day, reported_at)
     select partner_id, quote_id, 'partner', 'tenancy_ended', ends_on, now() from k`,
    [sold],
  )
  await rawRows(
    service,
    `insert into contract_acknowledgements (contract_number, version, partner_id, reference, acknowledged_at)
     select contract_number, version, partner_id, 'SUP-1', now() from contract_versions
      where version = 1 and contract_number in (select contract_number from contracts where quote_id = $1)`,
    [sold],
  )
  await rawRows(
    service,
    `insert into refund_orders (partner_id, order_id, customer_id, refund_entry_id, entry_id, payment_id, amount_pence,
     by_job, asked_at)
     select partner_id, 'refund_' || entry_id, customer_id, entry_id, entry_id, 'pi_none', 1, false, now()
       from payment_entries
      where customer_id = $1 limit 1`,
    [lead],
  )
  await rawRows(
    service,
    `insert into collecting_holds (partner_id, customer_id, cause, placed_at, lifted_at)
     select partner_id, customer_id, 'death', now(), now() from customers where customer_id = $1`,
    [lead],
  )
  await rawRows(
    service,
    `insert into death_reports (death_report_id, partner_id, quote_id, customer_id, details_encrypted, reported_at,
                                due_on, is_held, outcome, decided_at)
     select 'death_' || customer_id, partner_id, quote_id, customer_id, '', now(), current_date, true, 'lifted', now()
       from customers where customer_id = $1`,
    [lead],
  )
  await rawRows(
    service,
    `insert into end_requests (customer_id, partner_id, contract_number, details_encrypted, asked_at, due_on, outcome)
     select customer_id, partner_id, contract_number, '', now(), current_date, 'answered' from contracts
      where customer_id = $1 limit 1`,
    [lead],
  )
  await addCommissionRows(service, sold)
  succeeded(await partner.post(`/Sandbox/customers/${lead}/collect`))
  succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
  succeeded(await partner.post(`/Sandbox/broadband/${addressUid}`, { homeTelecom: { outcome: 'down' } }))
  const { quoteId, tenants } = await startHousehold(partner)
  const [reader = ''] = tenants
  succeeded(await finalise(partner, reader))
  succeeded(await partner.get(`/Customers/${reader}/pci-preview-url-html`))
  // As if the processor had been unreachable: queue the deletion of the customer there for a day later.
  await rawRows(
    service,
    `insert into processor_deletions (customer_id, partner_id, due_at)
     select customer_id, partner_id, now() + interval '1 day' from customers where quote_id = $1 and customer_id = $2`,
    [quoteId, tenants[1]],
  )
}

/** The contents of all tables with partners' rows, except the job schedule, which can change at any time. */
async function contentsOfPartners(): Promise<Map<string, string>> {
  const contents = await readDatabaseContents(service.connectionString)
  // The running service keeps writing these.
  for (const table of ['scheduled_jobs', 'deployment_settings']) contents.delete(`public.${table}`)
  return contents
}

/**
 * Waits until the worker stops writing. The deliveries have then failed twice, so attempts exist, and the next ones are
 * a day away.
 */
async function attemptsAreRecorded(): Promise<void> {
  const pending = () =>
    rawRows(
      service,
      `select from events where dispatched_at is null union all
       select from replays where status = 'running' union all
       select from deliveries where status = 'pending' and coalesce(next_attempt_at < now() + interval '1 hour', true)
         union all
       select from simulated_processor.outgoing_webhooks`,
    )
  await waitFor('nothing is pending', pending, ({ length }) => length === 0)
  // The list of requests is written beside them and in their order.
  succeeded(await stranger.get('/Sandbox/clock', { headers: { 'X-Request-Id': 'the-last' } }))
  const listed = () => rawRows(service, `select from sandbox_requests where request_id = 'the-last'`)
  await waitFor('every request is listed', listed, ({ length }) => length === 1)
}

/**
 * Runs a statement for a partner, or with no partner set, and rolls it back. Returns the number of rows, or 'rejected'.
 */
async function outcome(
  partnerId: string | undefined,
  text: string,
  values: unknown[] = [],
): Promise<number | 'rejected'> {
  await asApp.query('begin')
  try {
    if (partnerId !== undefined) await setPartner(partnerId)
    return (await asApp.query(text, values)).rowCount ?? 0
  } catch (error) {
    // Both a missing grant and a policy violation are reported as insufficient privilege.
    assert.ok(error instanceof DatabaseError && error.code === '42501', String(error))
    return 'rejected'
  } finally {
    await asApp.query('rollback')
  }
}

/** Asserts that a statement failed or returned no rows, unless `allowed` permits something else. */
function comesToNothing(found: number | 'rejected', allowed: readonly (typeof found)[] = ['rejected', 0]): void {
  assert.ok(allowed.includes(found), String(found))
}

for (const { name, columns } of tables) {
  test(`${name}: another partner's rows are invisible, even to a statement that selects them by partner`, async () => {
    const counted = async (partnerId: string) =>
      Number((await rawRows(service, `select count(*) from ${name} where partner_id = $1`, [partnerId]))[0]?.count)
    const ownRows = await counted(own)
    assert.ok(ownRows > 0 && (await counted(foreign)) > 0, 'both partners have rows here')
    comesToNothing(await outcome(own, `select partner_id from ${name} where partner_id = $1`, [foreign]))
    const seen = await outcome(own, `select partner_id from ${name}`)
    if (['public.credentials', 'public.partner_mails', 'public.person_sessions'].includes(name))
      assert.equal(seen, 'rejected')
    else assert.equal(seen, ownRows)
  })

  test(`${name}: another partner's rows cannot be changed, removed or added`, async () => {
    for (const column of columns) {
      const same = `set ${column} = ${column}`
      comesToNothing(await outcome(own, `update ${name} ${same} where partner_id = $1`, [foreign]))
    }
    comesToNothing(await outcome(own, `delete from ${name} where partner_id = $1`, [foreign]))
    comesToNothing(await outcome(own, `update ${name} set partner_id = $1`, [foreign]), ['rejected'])
    const list = columns.join(', ')
    const [row] = await rawRows(
      service,
      `select to_json(t)::text as json from ${name} t where partner_id = $1 limit 1`,
      [foreign],
    )
    const insert = `insert into ${name} (${list}) select ${list} from json_populate_record(null::${name}, $1::json)`
    comesToNothing(await outcome(own, insert, [row?.json]), ['rejected'])
  })

  test(`${name}: rows are invisible while no partner is set`, async () => {
    for (const nobody of [undefined, '', '%', 'partner_']) {
      comesToNothing(await outcome(nobody, `select partner_id from ${name}`))
      comesToNothing(await outcome(nobody, `update ${name} set partner_id = partner_id`))
      comesToNothing(await outcome(nobody, `delete from ${name}`))
    }
  })
}

test("a row that refers to another partner's row is rejected", async () => {
  const idOf = async (table: string, id: string, partnerId: string) =>
    String(
      (await rawRows(service, `select ${id} as id from ${table} where partner_id = $1 limit 1`, [partnerId]))[0]?.id,
    )
  const broken = async (text: string, values: unknown[]) => {
    await asApp.query('begin')
    await setPartner(own)
    try {
      await assert.rejects(asApp.query(text, values), { code: '23503' })
    } finally {
      await asApp.query('rollback')
    }
  }
  const foreignQuote = await idOf('quotes', 'quote_id', foreign)
  const foreignCustomer = await idOf('customers', 'customer_id', foreign)
  const ownCustomer = await idOf('customers', 'customer_id', own)
  await broken('update customers set quote_id = $1, joining_number = 99 where customer_id = $2', [
    foreignQuote,
    ownCustomer,
  ])
  await broken(`update setup_intents set customer_id = $1, status = 'canceled'`, [foreignCustomer])
  const foreignWebhook = await idOf('webhooks', 'webhook_id', foreign)
  await broken('update delivery_queue set webhook_id = $1', [foreignWebhook])
  await broken(
    `insert into replays (replay_id, partner_id, webhook_id, since, until, is_open, status)
     values ('replay_broken', $1, $2, now() - interval '1 day', now(), true, 'running')`,
    [own, foreignWebhook],
  )
  await broken(
    `insert into contract_documents (contract_number, customer_id, partner_id, html_encrypted, html_sha256,
     pdf_encrypted, pdf_sha256, created_at)
     values ($1, $2, $3, '', '', '', '', now())`,
    ['0000-0000-0000', foreignCustomer, own],
  )
  await broken(`update customers set contract_number = $1`, [await idOf('contracts', 'contract_number', foreign)])
  await broken(
    `insert into contracts (contract_number, partner_id, quote_id, customer_id, status, agreed_at, starts_on, ends_on,
     updated_at)
     values ('0000-0000-0000', $1, $2, $3, 'agreed', now(), now(), now(), now())`,
    [own, foreignQuote, foreignCustomer],
  )
})

test("the role that works for partners cannot read the simulated processor's tables", async () => {
  for (const table of ['customers', 'setup_intents', 'steering', 'outgoing_webhooks'])
    assert.equal(await outcome(own, `select from simulated_processor.${table}`), 'rejected')
})

test('the role that works across partners sees all partners, and owns and empties nothing', async () => {
  await withClient(connectionStringAs(systemRole, service.connectionString), async (system) => {
    for (const text of [
      'delete from audit_log',
      'update audit_log set actor = actor',
      'truncate customers',
      'create table mine ()',
    ])
      await assert.rejects(system.query(text), { code: '42501' }, text)
    const { rows } = await system.query('select count(distinct partner_id)::int as partners from events')
    assert.deepEqual(rows, [{ partners: 2 }])
  })
})

test('the role that works for partners changes nothing of a partner but its clock, and logs nobody but who acts', async () => {
  for (const column of ['name', 'disabled_at', 'suspended_at', 'requests_per_second', 'contact_email_encrypted'])
    assert.equal(await outcome(own, `update partners set ${column} = ${column}`), 'rejected', column)
  for (const actor of ['operator', 'worker', 'client'])
    assert.equal(
      await outcome(
        own,
        `insert into audit_log (partner_id, actor, action, subject_type, subject_id) values ($1, $2, 'read', 'quote', '1')`,
        [own, actor],
      ),
      'rejected',
      actor,
    )
})

test('the database is unchanged after all these tests', async () => {
  assert.deepEqual(await contentsOfPartners(), before)
})

/** Adds a row to each table about commission, for the contract of this quote. */
async function addCommissionRows(service: ServiceUnderTest, quoteId: string): Promise<void> {
  await rawRows(
    service,
    `with terms as (
       insert into commission_terms (partner_id, first_day, tiers, recorded_at)
       select partner_id, '2026-01-01', '[{"upTo": null, "basisPoints": 250, "amount": null}]', now() from quotes
         where quote_id = $1
       returning partner_id, term_number),
     closing as (
       insert into commission_closings (partner_id, month, closed_at) select partner_id, '2026-01-01', now() from terms),
     line as (
     insert into commission_entries (line_id, partner_id, contract_number, kind, quote_id, counts_on, month, amount_pence,
       term_number, number_in_month,
                                     value_net_pence, basis_points, term_days, household_days, unsupplied_days,
                                       recorded_at)
     select 'line_' || contract_number, partner_id, contract_number, 'earned', quote_id, '2026-02-01', '2026-02-01', 250, term_number, 1, 10000,
       250, 365, 365, 0, now()
       from contracts join terms using (partner_id) where quote_id = $1
       returning line_id, partner_id)
     insert into commission_queries (query_id, partner_id, line_id, text_encrypted, asked_at)
     select 'query_' || partner_id, partner_id, line_id, '', now() from line limit 1`,
    [quoteId],
  )
}

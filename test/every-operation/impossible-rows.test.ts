import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { Client } from 'pg'
import { endReasons, publicCauses } from '../../src/contracts/contract.ts'
import {
  endAnswers,
  endEvidences,
  endSources,
  questionOutcomes,
} from '../../src/contracts/household-end/household-end.ts'
import { tenantMailKindNames } from '../../src/contracts/mails/tenant-mail-kinds.ts'
import { meterRegisters, servicesWithMeter } from '../../src/contracts/meter-readings/meter-reading.ts'
import { contractChanges } from '../../src/contracts/operator-feeds/feed-changes.ts'
import { supplyReasonNames } from '../../src/contracts/supply/supply-report.ts'
import { importKinds, rowOutcomes } from '../../src/onboarding/imports/import.ts'
import { serviceNames } from '../../src/quoting/packages/services.ts'
import { createTestDatabase } from '../support/postgres.ts'

const check = '23514'
const unique = '23505'

/*
 * What must never be stored is rejected by PostgreSQL too, whatever the program does. Two households of one tenant each
 * have a contract in force, a payment, a meter reading and an e-mail.
 */

const { connectionString, drop } = await createTestDatabase()
const client = new Client({ connectionString })
after(async () => {
  await client.end()
  await drop()
})

before(async () => {
  await client.connect()
  // Without the checks of foreign keys, which are tested by themselves.
  await client.query(`
    set session_replication_role = replica;
    insert into quotes (quote_id, partner_id, stage, step_label, quoting_tool_version_id, version_is_explicit,
                        address_uid, address, region, contract_start_date, contract_end_date, start_origin, end_origin,
                        priced_at, expires_at, created_at, updated_at)
      select 'quote_' || n, 'partner', 'completed', 'draft', 'card', false, 'uid', '{}', 'A', '2027-01-01',
             '2027-12-31', 'default', 'default', now(), now(), now(), now() from generate_series(1, 2) n;
    insert into contracts (contract_number, partner_id, quote_id, customer_id, status, agreed_at, effective_at,
                           starts_on, ends_on, updated_at)
      select 'contract_' || n, 'partner', 'quote_' || n, 'customer_' || n, 'in_force', now(), now(), '2027-01-01',
             '2027-12-31', now() from generate_series(1, 2) n;
    insert into contract_versions (contract_number, version, partner_id, change)
      select 'contract_1', 1, 'partner', 'agreed';
    insert into payment_entries (entry_id, partner_id, customer_id, contract_number, kind, due_on, amount_pence,
                                 description, status, collected_pence, created_at)
      select 'entry_' || n, 'partner', 'customer_1', 'contract_1', 'plan', date '2027-01-01' + n, 100, '', 'paid', 100,
             now() from generate_series(1, 2) n;
    insert into meter_readings (partner_id, quote_id, customer_id, service, read_on, reading, reported_at)
      values ('partner', 'quote_1', 'customer_1', 'gas', '2027-01-01', 1, now());
    insert into tenant_mails (mail_id, partner_id, customer_id, kind, content_encrypted, sha256, created_at,
                              next_attempt_at)
      values ('mail', 'partner', 'customer_1', 'link', '', '', now(), now());
    insert into people (person_id, partner_id, details_encrypted, email_hash, roles, scopes, branches, invited_by,
                        invited_at)
      select 'person_' || n, 'partner_00000000000000000000000000', '', n::text, '{rates}', '{}', '{}', '', now()
        from generate_series(1, 2) n`)
})

test("a contract about another quote than its customer's cannot be stored", async () => {
  const statement = "update contracts set quote_id = 'quote_2' where contract_number = 'contract_1'"
  assert.equal(await attempt(`set local session_replication_role = origin; ${statement}`), check)
})

async function attempt(statement: string): Promise<string> {
  await client.query('begin')
  try {
    const { rowCount } = await client.query(statement)
    return `${rowCount} stored`
  } catch (error) {
    return (error as { code: string }).code
  } finally {
    await client.query('rollback')
  }
}

for (const [what, statement, expected] of [
  ['a planned last day before the first', 'update contracts set ends_on = starts_on - 1', check],
  [
    'a quote whose last day is before its first',
    'update quotes set contract_end_date = contract_start_date - 1',
    check,
  ],
  [
    'two binding contracts of one customer',
    "update contracts set (customer_id, quote_id) = ('customer_1', 'quote_1')",
    unique,
  ],
  ['a contract in force without its time', 'update contracts set effective_at = null', check],
  ['an unknown reason', "update contracts set end_reason = 'boredom'", check],
  ['an unknown change', "update contract_versions set change = 'boredom'", check],
  ['an unknown service of a quote', "update quotes set services = '{gas,water}'", check],
  ['a register for the night of a gas meter', "update meter_readings set register = 'night'", check],
  ['an unknown service of a meter', "update meter_readings set service = 'broadband'", check],
  ['an unknown kind of payment', "update payment_entries set kind = 'gift'", check],
  ['an unknown kind of e-mail', "update tenant_mails set kind = 'gift'", check],
  ['more refunded than collected', 'update payment_entries set refunded_pence = 101', check],
  ['a refund of nothing', 'update payment_entries set collected_pence = null, refunded_pence = 1', check],
  ['two planned payments of a contract on a day', "update payment_entries set due_on = '2027-01-01'", unique],
  ["a role of partners for the operator's people", "update people set roles = '{agent}'", check],
  ["a role of the operator's for a partner's people", "update people set partner_id = 'partner'", check],
  ['a scope of a role that is given by name', "update people set scopes = '{support:read}'", check],
  ["one address of two of the operator's people", "update people set email_hash = 'same'", unique],
  ['a removed person who may still do something', "update people set state = 'removed', email_hash = ''", check],
  ['negative bedrooms', 'update quotes set bedrooms = -1', check],
] as const)
  test(`${what} cannot be stored`, async () => {
    assert.equal(await attempt(statement), expected)
  })

for (const [what, statement] of [
  [
    'a contract that was cancelled before its first day, and the next one of the customer',
    `update contracts set customer_id = 'customer_1', status = case contract_number when 'contract_1' then 'cancelled'
       else status end, ended_on = starts_on - 1`,
  ],
  [
    'a payment on the day of one that was cancelled',
    `update payment_entries set due_on = '2027-01-01', status = case entry_id when 'entry_1' then 'cancelled' else status end`,
  ],
  [
    'a payment on the day of what was put back',
    `update payment_entries set due_on = '2027-01-01', again_for = case entry_id when 'entry_1' then 'entry_2' end`,
  ],
] as const)
  test(`${what} can be stored`, async () => {
    assert.equal(await attempt(statement), '2 stored')
  })

test('the database and the program know the same reasons, changes, services and kinds', async () => {
  const { rows } = await client.query<{ column: string; values: string[] }>(
    `
    select conrelid::regclass || '.' || attname as column,
           array(select match[1] from regexp_matches(pg_get_constraintdef(c.oid), '[''{,](\\w+)(?=['',}])', 'g') match
                  order by 1) as values
      from pg_constraint c join pg_attribute a on attrelid = conrelid and conkey = array[attnum]
     where contype = 'c' and conrelid::regclass || '.' || attname = any ($1)`,
    [Object.keys(known)],
  )
  const stored = Object.fromEntries(rows.map(({ column, values }) => [column, values]))
  for (const [column, values] of Object.entries(known)) assert.deepEqual(stored[column], [...values].sort(), column)
})

const known: Readonly<Record<string, readonly string[]>> = {
  'contracts.end_reason': endReasons,
  'contract_versions.change': contractChanges,
  'imports.kind': importKinds,
  'import_rows.outcome': rowOutcomes,
  'quotes.services': serviceNames(),
  'meter_readings.service': servicesWithMeter,
  'meter_readings.register': meterRegisters,
  'service_reports.reason': supplyReasonNames,
  'tenant_mails.kind': tenantMailKindNames,
  'tenancy_end_reports.source': endSources,
  'tenancy_end_reports.reason': publicCauses,
  'tenancy_end_reports.evidence': endEvidences,
  'tenancy_end_questions.answer': endAnswers,
  'tenancy_end_questions.outcome': questionOutcomes,
}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client, DatabaseError } from 'pg'
import { proofSetting, readProofSigner } from '../../src/db/proof.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { createSeparateLogins } from '../support/databases.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startTestService } from '../support/service.ts'
import { newForeignAccessCounters, reportForeignAccesses } from './foreign-accesses.ts'

/*
 * Statements that an attacker chooses freely, run with each login of the service. The attacker's transaction has a valid
 * proof of partner `own` and tries to reach rows of partner `foreign`, or to act in its name.
 */
const service = await startTestService()
const owner = await connectPartner(service.baseUrl, service.credentials)
const stranger = await connectNewPartner(service)
for (const partner of [owner, stranger]) await onboard(partner, (await startHousehold(partner, { tenants: 1 })).lead)
const partners = await rawRows(service, 'select partner_id as id from partners order by created_at')
const [own = '', foreign = ''] = partners.map(({ id }) => String(id))
const sign = await readProofSigner(service.connectionString)
const logins = await createSeparateLogins(service.connectionString)
const app = new Client({ connectionString: logins.DATABASE_URL })
const system = new Client({ connectionString: logins.DATABASE_SYSTEM_URL })
const operator = new Client({ connectionString: logins.DATABASE_OPERATOR_URL })
const clients = [app, system, operator]
await Promise.all(clients.map((client) => client.connect()))
after(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await service.stop()
})

const valid = sign(own, '{"actor":"client","credential":"me"}')
const expired = () => {
  const now = Date.now()
  const { now: real } = Date
  Date.now = () => now - 61_000
  try {
    return sign(foreign, '')
  } finally {
    Date.now = real
  }
}
const accesses = newForeignAccessCounters()

/** Runs the attacker's statements in one transaction and returns the rows of the last one, or the SQLSTATE of the error. */
async function attack(client: Client, proof: string, ...statements: [string, unknown[]?][]): Promise<unknown> {
  accesses.tried += 1
  await client.query('begin')
  try {
    await client.query(`select set_config('${proofSetting}', $1, true)`, [proof])
    let rows: unknown[] = []
    for (const [text, values] of statements) ({ rows } = await client.query(text, values))
    return rows
  } catch (error) {
    assert.ok(error instanceof DatabaseError, String(error))
    return error.code
  } finally {
    await client.query('rollback')
  }
}
function held(outcome: unknown, expected: unknown): void {
  assert.deepEqual(outcome, expected)
  accesses.refused += 1
}
const refused = '42501'
const foreignRows = (table: string): [string, unknown[]] => [
  `select partner_id from ${table} where partner_id = $1`,
  [foreign],
]
const setProof = (proof: string): [string, unknown[]] => [`select set_config('${proofSetting}', $1, true)`, [proof]]

test('with its own proof, the login for partners sees its own rows and no others', async () => {
  assert.deepEqual(await attack(app, valid, ['select distinct partner_id as id from customers']), [{ id: own }])
  accesses.refused += 1
  held(await attack(app, valid, foreignRows('customers')), [])
})

test('a proof that was altered, shortened, mixed, unsigned or that has expired is an error', async () => {
  const mac = valid.slice(0, 64)
  for (const proof of [
    valid.replace(own, foreign),
    `${mac}.${sign(foreign, '').slice(65)}`,
    `${'0'.repeat(64)}.${sign(foreign, '').slice(65)}`,
    sign(foreign, '').slice(0, -1),
    `.${Math.floor(Date.now() / 1000) + 60}|${foreign}|`,
    foreign,
    ' ',
    expired(),
  ]) {
    held(await attack(app, valid, setProof(proof), foreignRows('customers')), refused)
    held(await attack(app, proof, ['update quotes set reference_encrypted = null']), refused)
  }
})

test('a setting of the session, another role or another user opens nothing', async () => {
  for (const statement of [
    `set local housebill.partner_id = '${foreign}'`,
    `set local "proof.partner" = '${foreign}'`,
    'set local search_path = pg_temp, proof, public',
    'set local row_security = off',
    'reset all',
  ]) {
    const outcome = await attack(app, valid, [statement], foreignRows('customers'))
    held(
      Array.isArray(outcome) && outcome.length === 0 ? 'nothing' : outcome === refused ? 'nothing' : outcome,
      'nothing',
    )
  }
  for (const role of ['housebill_system', 'housebill', 'housebill_test_system', 'pg_read_all_data'])
    for (const how of [`set local role ${role}`, `set local session authorization ${role}`])
      held(await attack(app, valid, [how], foreignRows('customers')), refused)
  for (const role of ['housebill_app', 'housebill', 'housebill_test_app', 'pg_read_all_data']) {
    held(await attack(system, sign('', ''), [`set local role ${role}`], ['select address from quotes']), refused)
    held(await attack(operator, sign('', ''), [`set local role ${role}`], ['select from webhooks']), refused)
  }
})

test('the key of proofs and the functions of the owner are out of reach', async () => {
  for (const client of clients) {
    for (const statement of [
      'select * from proof.keys',
      'update proof.keys set inner_pad = outer_pad',
      'delete from proof.keys',
      'select proof.inner_pad()',
      'select proof.outer_pad()',
      "select proof.verified('')",
      "select proof.origin_of('')",
      'select proof.origin()',
      `select proof.insert_audit_entry('${foreign}', 'exported', 'customer', 'x', null, null, '{}')`,
      'create or replace function proof.partner() returns text language sql as $$ select $$',
      'alter table customers disable row level security',
      'create policy mine on customers using (true)',
      'alter function proof.partner() security invoker',
    ])
      held(await attack(client, valid, [statement]), refused)
  }
})

test('nothing can be created that later statements would use instead of our tables and functions', async () => {
  for (const client of clients)
    for (const statement of [
      'create temporary table customers (partner_id text)',
      'create table public.mine (partner_id text)',
      'create schema mine',
      'create function public.partner() returns text language sql as $$ select $$',
      `create view public.mine as select * from customers`,
    ])
      held(await attack(client, valid, [statement]), refused)
})

test('no login empties, locks out or copies to a file a table that it may read', async () => {
  for (const client of clients)
    for (const statement of [
      'truncate customers cascade',
      'alter table customers disable trigger all',
      'set local session_replication_role = replica',
      "copy (select quote_id from quotes) to '/tmp/housebill-quotes'",
      "copy (select quote_id from quotes) to program 'cat'",
      "select pg_read_file('postgresql.conf')",
      "select lo_import('/etc/hostname')",
    ])
      held(await attack(client, valid, [statement]), refused)
})

test('the login for the operator reads what the back office needs, and changes no row of a partner', async () => {
  for (const statement of [
    'select secret_hash from credentials',
    'select url from webhooks',
    'select data from events',
    'select html_encrypted from contract_documents',
    'select answer_encrypted from idempotency_keys',
    'select price from quotes',
    "update customers set email_hash = 'x'",
    "update quotes set stage = 'cancelled'",
    'delete from contracts',
    'delete from contract_versions',
    `insert into partners (partner_id, name) values ('mine', 'mine')`,
  ])
    held(await attack(operator, sign('', ''), [statement]), refused)
})

test('an audit entry cannot be inserted, changed, or written for another partner, time or actor', async () => {
  const columns = 'partner_id, at, actor, action, subject_type, subject_id'
  for (const client of clients)
    for (const partner of [own, foreign])
      held(
        await attack(client, valid, [
          `insert into audit_log (${columns}) values ('${partner}', now() - interval '1 day', 'operator', 'exported', 'customer', 'x')`,
        ]),
        refused,
      )
  const write = (partner: string): [string] => [
    `select write_audit_entry('${partner}', 'exported', 'customer', 'x', null, null, '{}')`,
  ]
  held(await attack(app, valid, write(foreign)), refused)
  held(await attack(app, '', write(foreign)), refused)
  held(await attack(system, sign('', ''), write(foreign)), refused)
  const writeReads = (...proofs: string[]): [string, unknown[]] => [
    `select write_reads($1::text[], array_fill('customer'::text, array[$2::integer]), array_fill('x'::text, array[$2::integer]))`,
    [proofs, proofs.length],
  ]
  held(await attack(app, valid, writeReads(`${'0'.repeat(64)}.9999999999|${foreign}|{"actor":"client"}`)), refused)
  held(await attack(app, valid, writeReads(sign('', '{"actor":"client"}'))), '23502')
  held(await attack(app, valid, writeReads('')), '23502')
  held(await attack(system, sign('', ''), writeReads(valid)), refused)
  held(await attack(app, valid, writeReads(valid), foreignRows('audit_log')), [])
  for (const statement of ["update audit_log set actor = 'operator'", 'delete from audit_log'])
    held(await attack(app, valid, [statement]), refused)
})

test('the origin in an audit entry is the signed one, whatever settings the statement changes', async () => {
  const entry = await attack(
    app,
    valid,
    [`set local housebill.origin = '{"actor":"operator","credential":"somebody else"}'`],
    [`update quotes set reference_encrypted = 'x'`],
    [
      `select distinct actor, credential from audit_log where subject_type = 'quote' and at > now() - interval '1 second' and fields = '{reference}'`,
    ],
  )
  held(entry, [{ actor: 'client', credential: 'me' }])
})

test('the policy reads the proof once for each table and statement, not once for each row', async () => {
  const plan = (await attack(app, valid, [
    'explain (analyze, format json) select from customers c join quotes q using (partner_id, quote_id)',
  ])) as Record<string, unknown>[]
  accesses.refused += 1
  const text = JSON.stringify(plan)
  const initPlans = [
    ...text.matchAll(
      /"Subplan Name":"InitPlan \d+","Actual[^}]*?"Actual Loops":(\d+)|"Subplan Name":"InitPlan[^}]*?"Actual Loops":(\d+)/g,
    ),
  ]
  assert.equal(initPlans.length, 2, text)
  for (const [, first, second] of initPlans) assert.equal(first ?? second, '1')
})

reportForeignAccesses(accesses)

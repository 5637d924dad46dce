import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { createFieldCipher } from '../../src/kernel/field-encryption.ts'
import { createDatabaseBefore } from '../isolation/database-before.ts'
import { withClient } from '../isolation/owned-tables.ts'

/*
 * Migration 0041 moves acceptances into a table of contracts and gives locks an end. It runs as an owner who is not a superuser, and who
 * sees no rows while row-level security is forced.
 */
const migrationName = '0041-contracts-and-locks.sql'
const database = await createDatabaseBefore(migrationName)
after(() => database.stop())
const { connectionString, ownerUrl } = database

const key = randomBytes(32)
const cipher = createFieldCipher([{ id: 'test', key }], key)
const tenants = ['accepted', 'waiting', 'paying', 'near', 'chosen', 'far'].map((name) => `tenant_${name}`)

/** Stores quotes with one tenant each, except that the half-accepted quote has two. The partner's clock is 30 days ahead. */
const oldRows = `
  set session_replication_role = replica;
  insert into partners (partner_id, name, clock_offset_seconds) values ('partner_1', 'One', 30 * 86400);
  insert into quotes (quote_id, partner_id, stage, step_label, quoting_tool_version_id, version_is_explicit, address_uid, address, region,
      contract_start_date, contract_end_date, start_origin, end_origin, priced_at, expires_at, created_at, updated_at)
    select 'quote_' || name, 'partner_1', stage, 'TenantsAdded', 'card', false, 'address', '{}', '_A',
      (now() + (30 + days) * interval '1 day')::date, (now() + (395 + days) * interval '1 day')::date, origin, 'default', now(),
      now() + interval '44 days', now(), now()
    from (values ('half', 'active', 40, 'default'), ('paying', 'active', 90, 'default'), ('soon', 'active', 5, 'partner'),
      ('near', 'open', 42, 'default'), ('chosen', 'open', 9, 'partner'), ('far', 'open', 44, 'default')) q (name, stage, days, origin);
  insert into customers (customer_id, quote_id, partner_id, joining_number, status, personal_encrypted, email_hash, created_at, updated_at)
    select 'tenant_' || tenant, 'quote_' || quote, 'partner_1', number, 'PersonalInfoComplete', '', tenant, now(), now()
    from (values ('accepted', 'half', 1), ('waiting', 'half', 2), ('paying', 'paying', 1), ('near', 'near', 1), ('chosen', 'chosen', 1),
      ('far', 'far', 1)) c (tenant, quote, number);
  update customers set status = 'OnboardingComplete', terms_accepted_at = now() - interval '3 days', acceptance = '{"termsVersion": "v1"}'
    where customer_id = 'tenant_accepted'`

test('earlier acceptances become contracts in force, active quotes get a lock, and default starts that are too near expire', async () => {
  await withClient(connectionString, async (superuser) => {
    const rows = async (text: string) => (await superuser.query(text)).rows
    await superuser.query(oldRows)
    const sealed = (column: string, text: string) =>
      cipher.encrypt(Buffer.from(text), { column, row: 'tenant_accepted' })
    await superuser.query(
      `update customers set acceptance_evidence_encrypted = $1 where customer_id = 'tenant_accepted'`,
      [sealed('customers.acceptance_evidence', '{"tenantIp":"192.0.2.1"}')],
    )
    await superuser.query(
      `insert into contract_documents (customer_id, partner_id, html_encrypted, html_sha256, pdf_encrypted, pdf_sha256, created_at)
       values ('tenant_accepted', 'partner_1', $1, 'a', $2, 'b', now())`,
      [
        Buffer.from(sealed('contract_documents.html', '<html>'), 'latin1'),
        Buffer.from(sealed('contract_documents.pdf', '%PDF'), 'latin1'),
      ],
    )
    const [accepted] = await rows(`select terms_accepted_at as at from customers where customer_id = 'tenant_accepted'`)
    const expiries = `select quote_id as id, expires_at as at from quotes order by 1`
    const before = new Map((await rows(expiries)).map(({ id, at }) => [id, at]))

    await migrate(ownerUrl)

    const contracts = await rows('select * from contracts')
    assert.equal(contracts.length, 1)
    const [contract] = contracts
    assert.equal(contract.contract_number, 'tenant_accepted', 'the printed number stays the number')
    assert.deepEqual(
      [contract.status, contract.agreed_at, contract.effective_at],
      ['in_force', accepted.at, accepted.at],
    )
    assert.deepEqual(contract.acceptance, { termsVersion: 'v1' })
    const open = (column: string, value: string) =>
      cipher.decrypt(value, { column, row: contract.contract_number }).toString()
    assert.equal(open('customers.acceptance_evidence', contract.evidence_encrypted), '{"tenantIp":"192.0.2.1"}')
    const [documents] = await rows('select * from contract_documents')
    assert.equal(documents.contract_number, contract.contract_number)
    assert.equal(open('contract_documents.html', documents.html_encrypted.toString('latin1')), '<html>')
    assert.equal(open('contract_documents.pdf', documents.pdf_encrypted.toString('latin1')), '%PDF')
    assert.deepEqual(
      await rows('select customer_id as id from customers where contract_number is not null or removed_at is not null'),
      [{ id: 'tenant_accepted' }],
    )
    assert.equal((await rows('select from customers')).length, tenants.length)

    const locks = await rows(`
      select quote_id as id, round(extract(epoch from locked_until - now()) / 86400)::int - 30 as days,
             locked_until = (contract_start_date::timestamp at time zone 'Europe/London') - interval '1 millisecond' as "untilStart",
             supply_rule_applies as "supplyRule"
        from quotes where stage = 'active' order by 1`)
    assert.deepEqual(locks, [
      { id: 'quote_half', days: null, untilStart: null, supplyRule: true },
      { id: 'quote_paying', days: 14, untilStart: false, supplyRule: false },
      { ...locks[2], id: 'quote_soon', untilStart: true, supplyRule: false },
    ])

    const expired = await rows(`
      select quote_id as id, expires_at <= now() + interval '30 days' as expired,
             expires_at < contract_start_date::timestamp at time zone 'Europe/London' as "beforeStart"
        from quotes where stage = 'open' order by 1`)
    assert.deepEqual(expired, [
      { id: 'quote_chosen', expired: false, beforeStart: true },
      { id: 'quote_far', expired: false, beforeStart: true },
      { id: 'quote_near', expired: true, beforeStart: true },
    ])
    const kept = new Map((await rows(expiries)).map(({ id, at }) => [id, at]))
    assert.deepEqual(kept.get('quote_far'), before.get('quote_far'))
  })
})

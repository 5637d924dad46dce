import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import { migrate } from '../../src/db/migrate.ts'
import { encryptPlainReferences } from '../../src/domain/quotes/references/encrypt-plain-references.ts'
import { openReference, referenceHash } from '../../src/domain/quotes/references/reference.ts'
import { createFieldCipher } from '../../src/kernel/field-encryption.ts'
import { createDatabaseBefore } from '../isolation/database-before.ts'
import { withClient } from '../isolation/owned-tables.ts'
import { readDatabaseContents } from '../support/database-contents.ts'
import { openDatabases } from '../support/databases.ts'
import { createTestDatabase } from '../support/postgres.ts'

/*
 * Migration 0058 and the next start encrypt references. The migration runs as an owner who is not a superuser, and who sees no rows while
 * row-level security is forced.
 */
const migrationName = '0058-encrypted-references.sql'
const database = await createDatabaseBefore(migrationName)
after(() => database.stop())
const { connectionString, ownerUrl } = database

const key = randomBytes(32)
const cipher = createFieldCipher([{ id: 'test', key }], key)
const body = (reference: string, test = '') =>
  `{"id":"event_1","type":"quote.status.changed","timestamp":"2026-01-01T00:00:00.000Z","data":{"quoteId":"quote_1","reference":${JSON.stringify(reference)},"previousStatus":null}${test}}`

test('an upgrade encrypts references, removes them from events and messages, and changes nothing else', async () => {
  const count = 1_201
  const plain = 'the "Zabriskys", \\ flat'
  await withClient(connectionString, async (superuser) => {
    await superuser.query('set session_replication_role = replica')
    await superuser.query(`insert into partners (partner_id, name) values ('partner_1', 'One'), ('partner_2', 'Two')`)
    await superuser.query(
      `insert into quotes (quote_id, partner_id, stage, step_label, reference, quoting_tool_version_id, version_is_explicit, address_uid, address,
                           region, contract_start_date, contract_end_date, start_origin, end_origin, priced_at, expires_at, created_at, updated_at)
       select 'quote_' || n, case when n % 400 = 0 then 'partner_2' else 'partner_1' end, 'open', 'draft', case when n > 1 then $1 || n end, 'card', false,
              'uid', '{}', 'region', now(), now(), 'default', 'default', now(), now(), now(), '2026-01-01' from generate_series(1, $2::integer) n`,
      [plain, count],
    )
    await superuser.query(
      `insert into events (event_id, partner_id, quote_id, type, data)
       values ('event_1', 'partner_1', 'quote_2', 'quote.status.changed', $1), ('event_2', 'partner_1', 'quote_1', 'quote.status.changed', $2)`,
      [
        `{"quoteId":"quote_2","reference":${JSON.stringify(`${plain}2`)},"status":"x"}`,
        '{"quoteId":"quote_1","reference":null}',
      ],
    )
    await superuser.query(
      `insert into delivery_queue (delivery_id, partner_id, webhook_id, message_id, event_type, own_body)
       values ('d1', 'partner_1', 'w', 'm1', 'quote.status.changed', $1), ('d2', 'partner_1', 'w', 'm2', 'quote.status.changed', $2)`,
      [body(plain), body('test-event', ',"test":true')],
    )
  })

  await migrate(ownerUrl)
  const databases = await openDatabases(connectionString)
  await Promise.all([1, 2].map(() => encryptPlainReferences(databases, () => Promise.resolve(cipher))))

  assert.doesNotMatch([...(await readDatabaseContents(connectionString)).values()].join('\n'), /Zabrisky/)
  await withClient(connectionString, async (superuser) => {
    const { rows } = await superuser.query<{
      id: string
      partner: string
      encrypted: string | null
      hash: string | null
    }>(
      `select quote_id as id, partner_id as partner, reference_encrypted as encrypted, reference_hash as hash from quotes where updated_at = '2026-01-01'`,
    )
    assert.equal(rows.length, count)
    for (const { id, partner, encrypted, hash } of rows) {
      const expected = id === 'quote_1' ? null : `${plain}${id.slice('quote_'.length)}`
      assert.equal(openReference(cipher, id, encrypted), expected)
      assert.equal(hash, expected && referenceHash(cipher, partner, expected))
    }
    const stored = await superuser.query(
      `select data::text as text from events union all select own_body from delivery_queue order by 1`,
    )
    assert.deepEqual(
      stored.rows.map(({ text }) => text),
      [
        body('test-event', ',"test":true'),
        body('').replace('""', 'null'),
        '{"quoteId":"quote_1","reference":null}',
        '{"quoteId":"quote_2","reference":null,"status":"x"}',
      ].toSorted(),
    )
  })
})

test('a start with nothing to encrypt does not need the keys', async (t) => {
  const empty = await createTestDatabase()
  t.after(() => empty.drop())
  const databases = await openDatabases(empty.connectionString)
  await encryptPlainReferences(databases, () => assert.fail('the keys were read'))
})

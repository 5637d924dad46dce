import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Client } from 'pg'
import { compileAuditTriggers } from '../../src/db/compile-audit-triggers.ts'
import { withClient } from '../isolation/owned-tables.ts'
import { createTestDatabase } from '../support/postgres.ts'

const database = await createTestDatabase()
after(() => database.drop())

/** Runs a change and returns its entries. */
async function entriesOf(owner: Client, change: string): Promise<string[]> {
  const { rows: earlier } = await owner.query('select coalesce(max(entry_number), 0) as last from audit_log')
  await owner.query(change)
  const { rows } = await owner.query<{ entry: string }>(
    `select concat_ws(' ', action, subject_type, subject_id, quote_id, fields::text) as entry
       from audit_log where entry_number > $1 order by entry_number`,
    [earlier[0]?.last],
  )
  return rows.map(({ entry }) => entry)
}

test('a compiled audit trigger names the columns that changed, and a column that is added later after the next migration', async () => {
  await withClient(database.connectionString, async (owner) => {
    await owner.query(`
      create table notes (partner_id text not null, note_number int primary key, quote_id text, text_encrypted text, facts json, updated_at int);
      create trigger audit after insert or update or delete on notes
        for each row execute function audit_change('note', 'note_number', 'updated_at')`)
    await compileAuditTriggers(owner)
    const insert = `insert into notes values ('partner_1', 7, 'quote_1', 'sealed', '{"a": 1}', 1)`
    assert.deepEqual(await entriesOf(owner, insert), [
      'created note 7 quote_1 {facts,note_number,partner_id,quote_id,text}',
    ])
    assert.deepEqual(await entriesOf(owner, 'update notes set updated_at = 2, quote_id = quote_id'), [])
    assert.deepEqual(await entriesOf(owner, `update notes set text_encrypted = 'other', facts = '{"a": 2}'`), [
      'changed note 7 quote_1 {facts,text}',
    ])
    await owner.query('alter table notes add column colour text')
    await compileAuditTriggers(owner)
    assert.deepEqual(await entriesOf(owner, `update notes set colour = 'red'`), ['changed note 7 quote_1 {colour}'])
    assert.deepEqual(await entriesOf(owner, 'delete from notes'), [
      'removed note 7 quote_1 {colour,facts,note_number,partner_id,quote_id,text}',
    ])
  })
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { withClient } from '../../isolation/owned-tables.ts'
import { createTestDatabase } from '../../support/postgres.ts'

const database = await createTestDatabase()
after(() => database.drop())

test('an audit trigger names the columns that changed, and a column that is added later once the trigger is made again', async () => {
  await withClient(database.connectionString, async (owner) => {
    const makeTrigger = () => owner.query(`select audit_table('notes', 'note', 'note_number', '{updated_at}')`)
    /** Runs a change and returns its entries. */
    const entriesOf = async (change: string) => {
      const { rows: before } = await owner.query('select coalesce(max(entry_number), 0) as last from audit_log')
      await owner.query(change)
      const { rows } = await owner.query<{ entry: string }>(
        `select concat_ws(' ', action, subject_type, subject_id, quote_id, fields::text) as entry
           from audit_log where entry_number > $1 order by entry_number`,
        [before[0]?.last],
      )
      return rows.map(({ entry }) => entry)
    }
    await owner.query(
      `create table notes (partner_id text, note_number int primary key, quote_id text, text_encrypted text, facts json,
       updated_at int)`,
    )
    await makeTrigger()
    assert.deepEqual(await entriesOf(`insert into notes values ('partner_1', 7, 'quote_1', 'sealed', '{"a": 1}', 1)`), [
      'created note 7 quote_1 {facts,note_number,partner_id,quote_id,text}',
    ])
    assert.deepEqual(await entriesOf('update notes set updated_at = 2, quote_id = quote_id'), [])
    assert.deepEqual(await entriesOf(`update notes set text_encrypted = 'other', facts = '{"a": 2}'`), [
      'changed note 7 quote_1 {facts,text}',
    ])
    await owner.query('alter table notes add column colour text')
    await makeTrigger()
    assert.deepEqual(await entriesOf(`update notes set colour = 'red'`), ['changed note 7 quote_1 {colour}'])
    assert.deepEqual(await entriesOf('delete from notes'), [
      'removed note 7 quote_1 {colour,facts,note_number,partner_id,quote_id,text}',
    ])
  })
})

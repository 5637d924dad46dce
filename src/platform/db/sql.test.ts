import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql, statementLabel } from './sql.ts'

test('a statement is named by what it does and its first table, without its values', () => {
  for (const [statement, label] of [
    [sql`select q.id from quotes q where q.id = ${'secret'}`, 'select quotes'],
    [sql`select 1 from quotes q for update of q skip locked`, 'select quotes'],
    [sql`select 1 from quotes for no key update nowait`, 'select quotes'],
    [sql`insert into keys (id) values (${1}) on conflict (id) do update set id = excluded.id`, 'insert keys'],
    [
      sql`with gone as (delete from queue where id = ${1} returning *) insert into history select * from gone`,
      'delete queue',
    ],
    [sql`UPDATE\n  partners set name = ${'secret'}`, 'update partners'],
    [sql`select set_config('a', ${'secret'}, true)`, 'select'],
    [sql`begin`, 'begin'],
  ] as const)
    assert.equal(statementLabel(statement.text), label)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../db/database.ts'
import type { Sql } from '../db/sql.ts'
import { createReadLog } from './read-log.ts'

/** A database whose commits end when the test says so. */
function openFakeDatabase() {
  const commits: { customerIds: unknown; settle: PromiseWithResolvers<[]> }[] = []
  const database = {
    access: { partnerId: 'prt_1' },
    query: ({ values }: Sql) => {
      const settle = Promise.withResolvers<[]>()
      commits.push({ customerIds: values.at(-1), settle })
      return settle.promise
    },
  } as unknown as Database
  const log = createReadLog(database)
  return { commits, record: (customerId: string) => log.record(database, { subjectType: 'customer', customerId }) }
}

test('the first entry is written at once; those that arrive during its commit are written together', async () => {
  const { commits, record } = openFakeDatabase()
  const first = record('a')
  const others = [record('b'), record('c')]
  assert.deepEqual(
    commits.map(({ customerIds }) => customerIds),
    [['a']],
  )
  commits[0]?.settle.resolve([])
  await first
  assert.deepEqual(commits[1]?.customerIds, ['b', 'c'])
  let isDone = false
  const all = Promise.all(others).then(() => {
    isDone = true
  })
  await new Promise(setImmediate)
  assert.equal(isDone, false, 'nothing resolves before its own commit')
  commits[1]?.settle.resolve([])
  await all
  assert.equal(commits.length, 2)
})

test('if a commit fails, every read in it fails, and the next one is written', async () => {
  const { commits, record } = openFakeDatabase()
  const first = record('a')
  const second = record('b')
  commits[0]?.settle.reject(new Error('no database'))
  await assert.rejects(first, /no database/)
  commits[1]?.settle.resolve([])
  await second
})

test('more entries than fit in one commit are divided', async () => {
  const { commits, record } = openFakeDatabase()
  const all = [record('first'), ...Array.from({ length: 501 }, (_, n) => record(String(n)))]
  for (let index = 0; index < 3; index += 1) {
    while (commits[index] === undefined) await new Promise(setImmediate)
    commits[index]?.settle.resolve([])
  }
  await Promise.all(all)
  assert.deepEqual(
    commits.map(({ customerIds }) => (customerIds as string[]).length),
    [1, 500, 1],
  )
})

test('a database that belongs to no partner is rejected', () => {
  const log = createReadLog({ access: undefined } as Database)
  assert.throws(
    () => log.record({ access: undefined } as Database, { subjectType: 'customer', customerId: 'a' }),
    /one partner/,
  )
})

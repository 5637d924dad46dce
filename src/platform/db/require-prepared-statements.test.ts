import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { requirePreparedStatements } from './required-settings.ts'

/** Connections to one server session, of which the pooler behind them forgets which prepared what. */
function throughPooler(rejection: string | undefined) {
  const prepared = new Set<string>()
  let released = 0
  const connect = async () => ({
    query: async ({ name }: { name: string }) => {
      if (rejection !== undefined && prepared.has(name)) {
        const error = new DatabaseError(`prepared statement "${name}" already exists`, 0, 'error')
        error.code = rejection
        throw error
      }
      prepared.add(name)
    },
    release: () => {
      released += 1
    },
  })
  return { connect, released: () => released }
}

test('a pooler that loses prepared statements is rejected with what to change, and no connection is kept', async () => {
  for (const code of ['42P05', '26000']) {
    const { connect, released } = throughPooler(code)
    await assert.rejects(requirePreparedStatements(connect), { name: 'PoolerError', message: /PgBouncer, use 1\.21/ })
    assert.equal(released(), 2)
  }
})

test('connections that keep prepared statements are accepted', async () => {
  const { connect, released } = throughPooler(undefined)
  await requirePreparedStatements(connect)
  assert.equal(released(), 2)
})

test('any other error is passed on', async () => {
  await assert.rejects(requirePreparedStatements(throughPooler('57P01').connect), { code: '57P01' })
})

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { Client, Pool, types } from 'pg'
import type { Access } from '../../../src/platform/db/access.ts'
import {
  createDatabase,
  type Database,
  inQueueTransaction,
  inTransaction,
  withoutEffect,
} from '../../../src/platform/db/database.ts'
import { sql, statementName } from '../../../src/platform/db/sql.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { waitFor } from '../../support/wait-for.ts'

const { connectionString, drop } = await createTestDatabase()
after(drop)

test('a database with a pool whose connections are not pipelined is rejected', async () => {
  const pool = new Pool({ connectionString })
  assert.throws(() => createDatabase(pool), /pipeline/)
  await pool.end()
})

test('transactions with one statement or many, queued or not, cause no driver warning', async () => {
  const warnings: Error[] = []
  const listen = (warning: Error) => void warnings.push(warning)
  process.on('warning', listen)
  const pool = new Pool({ connectionString, max: 1, pipeline: true })
  const db = createDatabase(pool)
  const one = sql`select 1 as one`
  await Promise.all([db.query(one), db.query(one)])
  await inTransaction(db, {}, (tx) => Promise.all([tx.query(one), tx.query(one)]))
  await inQueueTransaction(db, (tx) => Promise.all([tx.query(one), tx.query(one)]))
  await pool.end()
  await new Promise(setImmediate)
  process.off('warning', listen)
  assert.deepEqual(warnings, [])
})

/** Runs `work` with a database that has one connection, so that every statement meets what earlier ones left there. */
async function withOneConnection(work: (db: Database) => Promise<void>, access?: Access): Promise<void> {
  const pool = new Pool({ connectionString, max: 1, pipeline: true })
  try {
    await work(createDatabase(pool, access))
  } finally {
    await pool.end()
  }
}

const divide = (by: number) => sql`select 6 / ${by}::int as result`
const name = (of: string) => sql`select ${of}::text as name`

test('of statements that are sent together, those before a failure return rows and those after it fail with it', async () => {
  await withOneConnection(async (db) => {
    const sent = [db.query(divide(3)), db.query(divide(0)), db.query(name('after'))]
    const outcomes = await Promise.allSettled(sent)
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code)),
      [[{ result: 2 }], '22012', '22012'],
    )
    // PostgreSQL never parsed what it skipped, and keeps it from the next use on.
    assert.deepEqual(await db.query(name('again')), [{ name: 'again' }])
    assert.deepEqual(await db.query(divide(2)), [{ result: 3 }])
    const kept = sql`select from pg_prepared_statements where name = ${statementName(name('').text)}`
    assert.equal((await db.query(kept)).length, 1)
  }, {})
})

test('a value that cannot be sent fails its statement, and the connection goes on', async () => {
  const circular: Record<string, unknown> = {}
  circular.self = circular
  await withOneConnection(async (db) => {
    const sent = [db.query(name('before')), db.query(sql`select ${circular}::jsonb as value`), db.query(name('after'))]
    const [before, unsendable, after] = await Promise.allSettled(sent)
    assert.deepEqual(before, { status: 'fulfilled', value: [{ name: 'before' }] })
    for (const outcome of [unsendable, after]) {
      assert(outcome?.status === 'rejected')
      assert.match(String(outcome.reason), /circular/)
    }
    assert.deepEqual(await db.query(name('again')), [{ name: 'again' }])
    await assert.rejects(
      inTransaction(db, {}, (tx) => tx.query(sql`select ${circular}::jsonb as value`)),
      /circular/,
    )
    assert.deepEqual(await db.query(name('again')), [{ name: 'again' }])
  }, {})
})

test('a row that cannot be read fails its statement, and the connection goes on', async () => {
  const parse = types.getTypeParser(types.builtins.INT8)
  types.setTypeParser(types.builtins.INT8, () => {
    throw new Error('not readable')
  })
  try {
    await withOneConnection(async (db) => {
      await assert.rejects(db.query(sql`select 1::bigint as value`), /not readable/)
      assert.deepEqual(await db.query(name('again')), [{ name: 'again' }])
    })
    // Otherwise, the statement would return the rows that could be read.
    await withOneConnection(async (db) => {
      const sent = [db.query(sql`select 1::bigint as value`), db.query(divide(0))]
      for (const outcome of await Promise.allSettled(sent)) {
        assert(outcome.status === 'rejected')
        assert.match(String(outcome.reason), /not readable/)
      }
    }, {})
  } finally {
    types.setTypeParser(types.builtins.INT8, parse)
  }
})

test('a statement returns the same rows, without and with columns, each time that it runs on a connection', async () => {
  await withOneConnection(async (db) => {
    for (let time = 0; time < 3; time += 1) {
      assert.deepEqual(await db.query(sql`select 1 as one, null as nothing, 'a' as "text"`), [
        { one: 1, nothing: null, text: 'a' },
      ])
      assert.deepEqual(await db.query(sql`select from generate_series(1, 2)`), [{}, {}])
      assert.deepEqual(await db.query(sql`do $$ begin end $$`), [])
      await inQueueTransaction(db, async (tx) => {
        const sent = [tx.query(sql`select ${time}::int as time`), tx.query(sql`select 'x' as other`)]
        assert.deepEqual(await Promise.all(sent), [[{ time }], [{ other: 'x' }]])
      })
    }
  })
})

test('a connection that breaks fails all statements that were sent together', async () => {
  await withOneConnection(async (db) => {
    const sent = [
      db.query(name('before')),
      db.query(sql`select pg_terminate_backend(pg_backend_pid())`),
      db.query(name('after')),
    ]
    for (const outcome of (await Promise.allSettled(sent)).slice(1)) {
      assert(outcome.status === 'rejected')
      assert.equal(outcome.reason.code, 'service_unavailable')
    }
    assert.deepEqual(await db.query(name('again')), [{ name: 'again' }])
  }, {})
})

test('what a transaction requests without waiting for it is part of the transaction', async () => {
  await withOneConnection(async (db) => {
    await db.query(sql`create temporary table requested (step text)`)
    await inTransaction(db, {}, async (tx) => {
      await tx.query(sql`insert into requested values ('waited for')`)
      tx.query(sql`insert into requested values ('not waited for')`)
    })
    assert.deepEqual(await db.query(sql`select step from requested`), [
      { step: 'waited for' },
      { step: 'not waited for' },
    ])
    await assert.rejects(
      inTransaction(db, {}, async (tx) => {
        await tx.query(sql`delete from requested where step = 'waited for'`)
        tx.query(sql`delete from requested`)
        throw new Error('given up')
      }),
      /given up/,
    )
    assert.equal((await db.query(sql`select from requested`)).length, 2)
  })
})

test('readers of one turn share a connection, and a failure of one does not reach the others', async () => {
  const pool = new Pool({ connectionString, max: 1, pipeline: true })
  type Found = { partner: string; process: number }
  try {
    const dbOf = (partnerId: string) => createDatabase(pool, { partnerId })
    const [one, other, third] = [dbOf('one'), dbOf('other'), dbOf('third')] as const
    const partner = sql`select current_setting('housebill.partner') as partner, pg_backend_pid() as process`
    const processes = new Set<number>()
    for (let time = 0; time < 2; time += 1) {
      const failing = [one.query(divide(0)), one.query(partner)]
      const serving = [other.query<Found>(partner), third.query<Found>(partner)]
      const failed = await Promise.allSettled(failing)
      assert.deepEqual(
        failed.map(({ status }) => status),
        ['rejected', 'rejected'],
      )
      const served = await Promise.all(serving)
      assert.deepEqual(
        served.flat().map((row) => row.partner),
        ['other', 'third'],
      )
      for (const { process } of served.flat()) processes.add(process)
    }
    // Nobody relies on what the failed reader was to have parsed, so the connection lasts.
    assert.equal(processes.size, 1)
    assert.equal(pool.totalCount, 1)
  } finally {
    await pool.end()
  }
})

test('more readers than share a connection use several at once', async () => {
  const pool = new Pool({ connectionString, max: 3, pipeline: true })
  try {
    const found = await Promise.all(
      Array.from({ length: 9 }, (_, index) =>
        createDatabase(pool, { partnerId: String(index) }).query<{ partner: string; process: number }>(
          sql`select current_setting('housebill.partner') as partner, pg_backend_pid() as process`,
        ),
      ),
    )
    assert.deepEqual(
      found.flat().map(({ partner }) => partner),
      Array.from({ length: 9 }, (_, index) => String(index)),
    )
    assert.equal(new Set(found.flat().map(({ process }) => process)).size, 3)
  } finally {
    await pool.end()
  }
})

/** Runs `work` with a table, and a connection of its own that sees what the others wait for. */
async function withTable(column: string, work: (observer: Client) => Promise<void>): Promise<void> {
  const observer = new Client({ connectionString })
  await observer.connect()
  try {
    await observer.query(`create table kept (${column})`)
    await work(observer)
  } finally {
    await observer.query('drop table if exists kept')
    await observer.end()
  }
}

/** The process that waits for a lock of this kind on the advisory key 4711 or on `kept`. */
function waitingFor(observer: Client, kind: 'advisory' | 'relation'): Promise<number> {
  const text = `select pid from pg_locks where not granted and locktype = $1
    and case locktype when 'advisory' then objid = 4711 else relation = 'kept'::regclass end and mode <> $2`
  return waitFor(
    `somebody waits for the ${kind} lock`,
    async () => (await observer.query<{ pid: number }>(text, [kind, 'AccessExclusiveLock'])).rows[0]?.pid ?? 0,
  )
}

test('a statement whose first use is cancelled behind another first use serves every later use', async () => {
  const locker = new Client({ connectionString })
  await locker.connect()
  try {
    await withTable('value text', (observer) =>
      withOneConnection(async (db) => {
        const add = (value: string) =>
          sql`insert into kept select ${value}::text from pg_advisory_xact_lock_shared(4711) as locked`
        await observer.query('select pg_advisory_lock(4711)')
        const [first, second] = [db.query(add('first')), db.query(add('second'))]
        await waitingFor(observer, 'advisory')
        await locker.query('begin')
        const locked = locker.query('lock table kept in access exclusive mode')
        await waitFor('the table is to be locked next', async () => {
          const text = "select from pg_locks where relation = 'kept'::regclass and not granted"
          return (await observer.query(text)).rowCount
        })
        await observer.query('select pg_advisory_unlock(4711)')
        await Promise.all([first, locked])
        const isRejected = assert.rejects(second, { code: 'service_unavailable' })
        // As `statement_timeout` does it.
        await observer.query('select pg_cancel_backend($1)', [await waitingFor(observer, 'relation')])
        await isRejected
        await locker.query('rollback')
        for (const value of ['third', 'fourth', 'fifth']) await db.query(add(value))
        assert.equal((await db.query(sql`select from kept`)).length, 4)
      }, {}),
    )
  } finally {
    await locker.end()
  }
})

for (const [title, spoil, isUsedBefore] of [
  ['whose columns have changed', () => 'alter table kept add extra text, drop value', true],
  ['that PostgreSQL no longer has', () => 'deallocate all', true],
  ['whose name is taken', (text: string) => `prepare "${statementName(text)}" as select 1`, false],
] as const)
  test(`a prepared statement ${title} serves a reader at once, and a transaction when it is tried again`, async () => {
    const statement = sql`select * from kept`
    for (const access of [undefined, {}, { partnerId: 'one' }])
      for (const isReader of [true, false])
        await withTable('value text', () =>
          withOneConnection(async (db) => {
            const use = () => (isReader ? db.query(statement) : inTransaction(db, {}, (tx) => tx.query(statement)))
            if (isUsedBefore) await use()
            await db.pool.query(spoil(statement.text))
            if (!isReader) await assert.rejects(use(), { code: 'service_unavailable' })
            for (let time = 0; time < 2; time += 1) assert.deepEqual(await use(), [])
          }, access),
        )
  })

test('a change whose commit fails is not done: at the end of its statement, or after a failure that was caught', async () => {
  await withTable('value text unique deferrable initially deferred', async () => {
    for (const access of [undefined, {}])
      await withOneConnection(async (db) => {
        const add = (value: string) => sql`insert into kept values (${value}) returning value`
        const count = async () => (await db.query(sql`select from kept`)).length
        if ((await count()) === 0) await db.query(add('once'))
        await assert.rejects(db.query(add('once')), { code: '23505' })
        const caught = inTransaction(db, {}, async (tx) => {
          await tx.query(add('other'))
          return tx.query(divide(0)).catch(() => [])
        })
        await assert.rejects(caught, /nothing was stored/)
        assert.equal(await count(), 1)
      }, access)
  })
})

test('a function that writes but looks like a read is rejected, by HEAD and otherwise', async () => {
  await withTable('value text', async (observer) => {
    await observer.query(`create function note() returns void language sql as $$insert into kept values ('x')$$`)
    await withOneConnection(async (db) => {
      const note = sql`select note()`
      for (const reader of [withoutEffect(db), db]) await assert.rejects(reader.query(note), /read-only|unavailable/)
      assert.deepEqual(await db.query(sql`select from kept`), [])
      await inTransaction(db, {}, (tx) => tx.query(note))
      assert.equal((await db.query(sql`select from kept`)).length, 1)
    }, {})
    await observer.query('drop function note')
  })
})

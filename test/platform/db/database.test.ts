import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { Pool } from 'pg'
import { createStripePaymentProcessor } from '../../../src/payments/processor/stripe.ts'
import { createDatabase, type Database, inTransaction } from '../../../src/platform/db/database.ts'
import { assertNoOpenTransaction } from '../../../src/platform/db/open-transaction.ts'
import { sql } from '../../../src/platform/db/sql.ts'
import { createSystemResolver } from '../../../src/platform/outbound/system.ts'
import { createUpstream } from '../../../src/platform/outbound/upstream.ts'
import { createSandboxProcessor } from '../../../src/sandbox/processor/sandbox-processor.ts'
import { createWebhookSender } from '../../../src/webhooks/sender/webhook-sender.ts'
import { withClient } from '../../isolation/owned-tables.ts'
import { createTestDatabase } from '../../support/postgres.ts'
import { startScriptedServer } from '../outbound/scripted-server.ts'
import { goodResponse, responseSchemas } from '../outbound/upstream-fixture.ts'
import '../../support/loopback-only.ts'

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

let db: Database
let end: () => Promise<void>
before(async () => {
  const database = await createTestDatabase()
  const pool = new Pool({ connectionString: database.connectionString, max: 4, pipeline: true })
  pool.on('error', () => undefined)
  db = createDatabase(pool)
  await db.query(sql`create table seen (what text)`)
  end = async () => {
    await pool.end()
    await database.drop()
  }
})
after(() => end())

const inside = /was called inside a database transaction: call it first/
const seen = async () => (await db.query<{ what: string }>(sql`select what from seen`)).map(({ what }) => what)

describe('every outbound call made inside a transaction throws before anything is sent', async () => {
  const server = await startScriptedServer(goodResponse)
  const upstream = createUpstream({ name: 'telecom', baseUrl: server.baseUrl })
  const resolver = createSystemResolver()
  const sender = createWebhookSender({ resolver, egress: { allowLoopback: true } })
  const secretKey = 'sk_test_nothing'
  const processor = createStripePaymentProcessor({ upstream, secretKey, webhookSecret: 'whsec_nothing' })
  const receiver = { url: server.baseUrl.replace('http:', 'https:'), headers: {}, body: '{}', timeoutMs: 500 }
  after(async () => {
    await Promise.all([upstream.close(), sender.close()])
    await server.close()
  })

  const ways: Record<string, () => Promise<unknown>> = {
    'outbound-http': () => upstream.call({ path: '/thing', responses: responseSchemas }),
    'the webhook sender': () => sender.send(receiver),
    'the name resolver': () => resolver.resolve('receiver.invalid'),
    'the payment processor': () => processor.readSetupIntent('seti_1'),
    "the sandbox's card confirmation": () =>
      createSandboxProcessor(upstream, secretKey).confirmSetupIntent('seti_1', 'pm_card_visa'),
  }
  for (const [name, call] of Object.entries(ways)) {
    test(name, async () => {
      const work = inTransaction(db, {}, async (tx) => {
        await tx.query(sql`insert into seen values (${name})`)
        await call()
      })
      await assert.rejects(work, inside)
      assert.deepEqual(await seen(), [])
      assert.equal(server.requests.length, 0)
    })
  }
})

test('a call deep inside a transaction, even after an await, is detected', async () => {
  const deep = async () => {
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.all([Promise.resolve().then(() => assertNoOpenTransaction('the provider'))])
  }
  await assert.rejects(
    inTransaction(db, {}, async (tx) => {
      await tx.query(sql`select 1`)
      await deep()
    }),
    /^Error: the provider was called inside/,
  )
})

test('a call made while storing an idempotent response counts as made inside the transaction', async () => {
  const answer = { effectKey: '', record: async () => assertNoOpenTransaction('the provider') }
  await assert.rejects(
    inTransaction(db, { responseRecorder: answer }, async () => 1),
    inside,
  )
})

test('outbound calls before, between, after and outside transactions are allowed', async () => {
  assertNoOpenTransaction('the provider')
  let goOn: () => void = () => undefined
  const waiting = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const open = inTransaction(db, {}, () => waiting)
  assertNoOpenTransaction('the provider')
  goOn()
  await open
  assertNoOpenTransaction('the provider')
  await assert.rejects(
    inTransaction(db, {}, () => Promise.reject(new Error('undone'))),
    /undone/,
  )
  assertNoOpenTransaction('the provider')
})

test('work begun inside a transaction may make calls once the transaction has ended', async () => {
  let ended: () => void = () => undefined
  const afterwards = new Promise<void>((resolve) => {
    ended = resolve
  })
  let later: Promise<void> = Promise.reject(new Error('never begun'))
  later.catch(() => undefined)
  await inTransaction(db, {}, async () => {
    later = afterwards.then(() => assertNoOpenTransaction('the provider'))
  })
  ended()
  await later
})

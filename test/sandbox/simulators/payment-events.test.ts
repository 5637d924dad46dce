import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Database } from '../../../src/platform/db/database.ts'
import { publishableKeyOf } from '../../../src/sandbox/simulators/payment-processor/protocol/credentials.ts'
import {
  callSimulator,
  openIntent,
  openTestDatabase,
  secretKey,
  startReceiver,
  startSimulator,
} from '../../payments/payment-simulator-fixture.ts'

interface EventList {
  object: string
  url: string
  has_more: boolean
  data: { id: string; object: string; type: string; created: number; data: { object: { id: string } } }[]
}

describe('the event list of the payment processor simulator', () => {
  let db: Database
  let close: () => Promise<void>
  before(async () => {
    ;({ db, close } = await openTestDatabase())
  })
  after(() => close())

  async function list(apiBase: URL, query: string): Promise<EventList> {
    const { status, body } = await callSimulator(apiBase, `/v1/events${query}`, { key: secretKey })
    assert.equal(status, 200, JSON.stringify(body))
    return body as unknown as EventList
  }

  test('events are listed newest first, exactly as webhooks send them, without client secrets, even if the webhook was lost', async (t) => {
    const receiver = await startReceiver(t)
    const { apiBase, processor, confirmation, steer } = await startSimulator(t, db, receiver.url)
    const opened = await openIntent(processor)
    await receiver.arrived(1)
    await steer({ lost: true })
    await confirmation.confirmSetupIntent(opened.setupIntentId, 'pm_card_visa')
    const { object, url, data } = await list(apiBase, '?limit=2')
    assert.deepEqual([object, url], ['list', '/v1/events'])
    assert.deepEqual(
      data.map(({ type }) => type),
      ['setup_intent.succeeded', 'setup_intent.created'],
    )
    const [told] = receiver.deliveries.map(({ body }) => JSON.parse(body.toString()))
    assert.deepEqual(data[1], told)
    assert.ok(data.every((event) => event.data.object.id === opened.setupIntentId))
    assert.ok(!JSON.stringify(data).includes('_secret_'))
  })

  test('types, times and pages select exactly the matching events', async (t) => {
    const { apiBase } = await startSimulator(t, db)
    await db.pool.query('delete from simulated_processor.events')
    const insert = `insert into simulated_processor.events (id, type, happened_at, body)
      values ($1, $2, $3, json_build_object('id', $1::text, 'type', $2::text, 'created', $3::bigint)::text)`
    const now = Math.floor(Date.now() / 1000)
    for (let index = 0; index < 12; index += 1) {
      const type = index % 3 === 0 ? 'payment_intent.succeeded' : 'setup_intent.succeeded'
      await db.pool.query(insert, [`evt_${index}`, type, now - 100 + Math.floor(index / 2)])
    }
    const ids = async (query: string) => (await list(apiBase, query)).data.map(({ id }) => Number(id.slice(4)))
    assert.deepEqual(await ids('?limit=100'), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
    assert.deepEqual(await ids(''), [11, 10, 9, 8, 7, 6, 5, 4, 3, 2])
    assert.deepEqual(await ids('?type=payment_intent.succeeded'), [9, 6, 3, 0])
    assert.deepEqual(await ids('?types[]=payment_intent.succeeded&types[]=setup_intent.canceled'), [9, 6, 3, 0])
    assert.deepEqual(await ids(`?created[gte]=${now - 98}&created[lt]=${now - 96}`), [7, 6, 5, 4])
    assert.deepEqual(await ids(`?created[gt]=${now - 98}&created[lte]=${now - 96}`), [9, 8, 7, 6])
    assert.deepEqual(await ids(`?created=${now - 100}`), [1, 0])
    const seen: number[] = []
    let page = await list(apiBase, '?limit=5')
    while (page.has_more) {
      seen.push(...page.data.map(({ id }) => Number(id.slice(4))))
      page = await list(apiBase, `?limit=5&starting_after=${page.data.at(-1)?.id}`)
    }
    seen.push(...page.data.map(({ id }) => Number(id.slice(4))))
    assert.deepEqual(seen, [11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0])
  })

  test('events older than 30 days are deleted when the next event is stored', async (t) => {
    const { processor } = await startSimulator(t, db)
    const old = Math.floor(Date.now() / 1000) - 30 * 86_400 - 10
    const insert = 'insert into simulated_processor.events (id, type, happened_at, body) values ($1, $2, $3, $4)'
    await db.pool.query(insert, ['evt_old', 'x', old, '{}'])
    await db.pool.query(insert, ['evt_not_yet', 'x', old + 60, '{}'])
    await openIntent(processor)
    const { rows } = await db.pool.query("select id from simulated_processor.events where type = 'x'")
    assert.deepEqual(rows, [{ id: 'evt_not_yet' }])
  })

  for (const [query, status, code, param] of [
    ['?limit=0', 400, undefined, 'limit'],
    ['?limit=101', 400, undefined, 'limit'],
    ['?created[gte]=yesterday', 400, undefined, 'created[gte]'],
    ['?created[at]=1', 400, 'parameter_unknown', 'created[at]'],
    ['?ending_before=evt_1', 400, 'parameter_unknown', 'ending_before'],
    ['?starting_after=evt_unknown', 400, 'resource_missing', 'starting_after'],
    ['?type=a&types[]=b', 400, undefined, 'types'],
    ['?type=payment_intent.*', 400, undefined, 'types'],
    [`?${Array.from({ length: 21 }, (_, index) => `types[]=a${index}`).join('&')}`, 400, undefined, 'types'],
  ] as const) {
    test(`an invalid query is rejected: ${query.slice(0, 40)}`, async (t) => {
      const { apiBase } = await startSimulator(t, db)
      const response = await callSimulator(apiBase, `/v1/events${query}`, { key: secretKey })
      assert.equal(response.status, status)
      assert.deepEqual([response.body.error?.code, (response.body.error as { param?: string }).param], [code, param])
    })
  }

  test("a browser's key, or no key, is rejected", async (t) => {
    const { apiBase } = await startSimulator(t, db)
    for (const call of [{ key: publishableKeyOf(secretKey) }, {}])
      assert.equal((await callSimulator(apiBase, '/v1/events', call)).status, 401)
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requestAvailability } from '../../src/broadband/availability/request-availability.ts'
import { runAvailabilityCheck } from '../../src/broadband/availability/run-availability-check.ts'
import { createBroadbandDatabase } from '../../src/broadband/broadband-database.http.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { createUpstream } from '../../src/platform/outbound/upstream.ts'
import { findCheckedProducts } from '../../src/quoting/broadband/broadband-checks.store.ts'
import { startScriptedServer } from '../platform/outbound/scripted-server.ts'
import { waitFor } from '../support/wait-for.ts'
import { callerAt, hoursAfter, noon, openBroadbandLab, ordinaryProperty, specialProperty } from './broadband-fixture.ts'

let broadband: Awaited<ReturnType<typeof openBroadbandLab>>
before(async () => {
  broadband = await openBroadbandLab()
})
after(() => broadband.stop())

const caller = callerAt(noon)
const check = (uid: string, as = caller) => runAvailabilityCheck(broadband.deps, as, { uid })
const request = (addressUid: string, as = caller) => requestAvailability(broadband.deps, as, { addressUid })

/** Runs the work and counts its calls to the provider and to the broadband database. */
async function callsDuring(work: () => Promise<unknown>): Promise<[number, number]> {
  const [telecomBefore, databaseBefore] = broadband.calls()
  await work()
  const [telecomAfter, databaseAfter] = broadband.calls()
  return [telecomAfter - telecomBefore, databaseAfter - databaseBefore]
}

describe('a request for a check', () => {
  test('running the check completes the request', async () => {
    const made = await request(ordinaryProperty(0).addressUid)
    assert.equal((await check(made.uid)).uid, made.uid)
    const rows = await broadband.deps.db.query(sql`select status from availability_requests where uid = ${made.uid}`)
    assert.deepEqual(rows, [{ status: 'completed' }])
  })

  test('an availability request is not stored if its response cannot be recorded', async () => {
    const home = ordinaryProperty(1)
    const lost = { effectKey: '', record: () => Promise.reject(new Error('the claim was lost')) }
    await assert.rejects(request(home.addressUid, { ...caller, responseRecorder: lost }), /claim was lost/)
    const rows = await broadband.deps.db.query(
      sql`select 1 from availability_requests where address_uid = ${home.addressUid}`,
    )
    assert.equal(rows.length, 0)
  })
})

test('slow upstreams: both are called at the same time, and the result is complete', async () => {
  const checking = check(specialProperty('slow-upstreams').addressUid)
  await waitFor('both are called', () => broadband.inFlight().every((calls) => calls === 1))
  const result = await checking
  assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [false, false])
  assert.ok(result.products.length >= 5)
})

describe('the cache of upstream responses', () => {
  test('upstreams are called about a property only once in 24 hours, even if several partners check it', async () => {
    const { addressUid } = ordinaryProperty(6)
    assert.deepEqual(await callsDuring(() => check(addressUid)), [1, 1])
    const others = [callerAt(hoursAfter(noon, 23.9)), callerAt(noon, 'partner_b')]
    for (const other of others) assert.deepEqual(await callsDuring(() => check(addressUid, other)), [0, 0])
    assert.deepEqual(await callsDuring(() => check(addressUid, callerAt(hoursAfter(noon, 24)))), [1, 1])
  })

  test('repeating a check calls only the upstreams that failed', async () => {
    for (const [specialCase, calls] of [
      ['home-telecom-down', [1, 0]],
      ['broadband-database-down', [0, 1]],
      ['both-down', [1, 1]],
    ] as const) {
      const { addressUid } = specialProperty(specialCase)
      await check(addressUid)
      assert.deepEqual(await callsDuring(() => check(addressUid)), calls, specialCase)
    }
  })

  test("a partner's sandbox clock that runs years ahead does not keep responses fresh for others", async () => {
    const { addressUid } = ordinaryProperty(8)
    const ahead = callerAt(hoursAfter(noon, 24 * 1_000))
    assert.deepEqual(await callsDuring(() => check(addressUid, ahead)), [1, 1])
    assert.deepEqual(await callsDuring(() => check(addressUid, ahead)), [0, 0])
    assert.deepEqual(await callsDuring(() => check(addressUid, callerAt(noon, 'partner_b'))), [1, 1])
  })

  test("a partner's check is remembered for 24 hours with its products, for that partner only", async () => {
    const { addressUid } = ordinaryProperty(9)
    const known = (partnerId: 'partner_a' | 'partner_b', now: Date) =>
      findCheckedProducts(broadband.deps.db, partnerId, addressUid, now)
    assert.equal(await known('partner_a', noon), undefined)
    const result = await check(addressUid)
    const products = await known('partner_a', hoursAfter(noon, 23.9))
    assert.deepEqual(
      products?.map((product) => product.productId).sort(),
      result.products.map((product) => product.productId).sort(),
    )
    assert.equal(await known('partner_a', hoursAfter(noon, 24)), undefined)
    assert.equal(await known('partner_b', noon), undefined)
    await check(addressUid, callerAt(noon, 'partner_b'))
    assert.equal((await known('partner_b', noon))?.length, products?.length)
  })

  test('live neither lists nor remembers a line whose speeds are not stated, and says why', async () => {
    const { addressUid } = ordinaryProperty(12)
    const products = await broadband.deps.homeTelecom.listProducts({ uprn: '1', postcode: 'TE5 7AA' })
    const [first, ...others] = products
    assert.ok(first?.kind === 'line' && first.speeds)
    const { speeds: _, ...withoutSpeeds } = first
    const listProducts = () => Promise.resolve([withoutSpeeds, ...others])
    const deps = { ...broadband.deps, homeTelecom: { ...broadband.deps.homeTelecom, listProducts } }
    const live = await runAvailabilityCheck({ ...deps, realm: 'live' }, caller, { uid: addressUid })
    assert.equal(live.products.length, others.length)
    assert.match(live.homeTelecomErrors.join(), new RegExp(`these lines: ${first.productId}\\.`))
    const remembered = await findCheckedProducts(broadband.deps.db, 'partner_a', addressUid, noon)
    assert.ok(remembered && !remembered.some(({ productId }) => productId === first.productId))
    const sandbox = await check(addressUid)
    assert.deepEqual([sandbox.products.length, sandbox.homeTelecomErrors], [products.length, []])
  })

  test('many concurrent checks of one property all get the whole result', async () => {
    const { addressUid } = ordinaryProperty(10)
    const results = await Promise.all(Array.from({ length: 12 }, () => check(addressUid)))
    for (const result of results) assert.deepEqual({ ...result, uid: '' }, { ...results[0], uid: '' })
  })
})

test('if one upstream does not respond, the check abandons it at the time limit and returns what the other one found', async (t) => {
  const silent = await startScriptedServer(() => undefined)
  const limits = { attemptMs: 120_000, deadlineMs: 120_000 }
  const upstream = createUpstream({ name: 'broadband-database', baseUrl: silent.baseUrl, limits })
  t.after(async () => {
    await silent.close()
    await upstream.close()
  })
  const deps = { ...broadband.deps, broadbandDatabase: createBroadbandDatabase(upstream), timeLimitMs: 5_000 }
  const { addressUid } = ordinaryProperty(20)
  const result = await runAvailabilityCheck(deps, caller, { uid: addressUid })
  assert.deepEqual([result.available, result.homeTelecomError, result.broadbandDatabaseError], [true, false, true])
  assert.match(result.broadbandDatabaseErrors.join(), /did not respond in time/)

  const calls = await callsDuring(async () => {
    const again = await check(addressUid)
    assert.deepEqual([again.homeTelecomError, again.broadbandDatabaseError], [false, false])
  })
  assert.deepEqual(calls, [0, 1])
})

test('a bug in this program during a check is not treated as an upstream failure', async () => {
  const deps = {
    ...broadband.deps,
    homeTelecom: { ...broadband.deps.homeTelecom, listProducts: () => Promise.reject(new TypeError('a bug')) },
  }
  const { addressUid } = ordinaryProperty(21)
  await assert.rejects(runAvailabilityCheck(deps, caller, { uid: addressUid }), /a bug/)
})

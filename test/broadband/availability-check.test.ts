import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { requestAvailability } from '../../src/broadband/availability/request-availability.ts'
import { runAvailabilityCheck } from '../../src/broadband/availability/run-availability-check.ts'
import { sql } from '../../src/platform/db/sql.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { isAvailabilityUid } from '../../src/quoting/broadband/availability-request.ts'
import { findCheckedProducts } from '../../src/quoting/broadband/broadband-checks.store.ts'
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

function isNotFound(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'not_found'
}

describe('a request for a check', () => {
  test('a known property gets a pending request that expires after 24 hours', async () => {
    const home = ordinaryProperty(0)
    const made = await request(home.addressUid)
    assert.ok(isAvailabilityUid(made.uid), made.uid)
    assert.deepEqual([made.addressUid, made.status, made.expiresAt], [home.addressUid, 'pending', hoursAfter(noon, 24)])
  })

  test('running the check completes the request', async () => {
    const made = await request(ordinaryProperty(0).addressUid)
    assert.equal((await check(made.uid)).uid, made.uid)
    const rows = await broadband.deps.db.query(sql`select status from availability_requests where uid = ${made.uid}`)
    assert.deepEqual(rows, [{ status: 'completed' }])
  })

  test('an unknown property is rejected, with the field named', async () => {
    await assert.rejects(request('address_00000000000000000000000000'), (error: unknown) => {
      assert.ok(error instanceof DomainError)
      assert.equal(error.code, 'address_not_found')
      assert.deepEqual(
        error.fields.map((field) => field.pointer),
        ['/addressUid'],
      )
      return true
    })
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

describe('who can read a check', () => {
  test("another partner's uid, an expired one and an unknown one all return not_found", async () => {
    const { uid } = await request(ordinaryProperty(2).addressUid)
    await assert.rejects(check(uid, callerAt(noon, 'partner_b')), isNotFound)
    await assert.rejects(check(uid, callerAt(hoursAfter(noon, 24))), isNotFound)
    await check(uid, callerAt(hoursAfter(noon, 23.9)))
    for (const unknown of [
      'availability_00000000000000000000000000',
      'address_00000000000000000000000000',
      'x',
      'a\0b',
      '',
    ]) {
      await assert.rejects(check(unknown), isNotFound)
    }
  })

  test('a check by addressUid creates its own request, which later checks reuse until it expires', async () => {
    const home = ordinaryProperty(3)
    const first = await check(home.addressUid)
    assert.ok(isAvailabilityUid(first.uid))
    assert.equal((await check(home.addressUid)).uid, first.uid)
    assert.equal((await check(first.uid)).uid, first.uid)
    assert.notEqual((await check(home.addressUid, callerAt(hoursAfter(noon, 25)))).uid, first.uid)
    assert.notEqual((await check(home.addressUid, callerAt(noon, 'partner_b'))).uid, first.uid)
  })
})

describe('the special properties', () => {
  test('an ordinary property has lines and add-ons and no error', async () => {
    const result = await check(ordinaryProperty(4).addressUid)
    assert.equal(result.available, true)
    assert.ok(result.products.filter((product) => product.kind === 'line').length >= 3)
    assert.equal(result.products.filter((product) => product.kind === 'addon').length, 2)
    assert.ok(result.products.every((product) => product.speed <= result.maxSpeed && product.price > 0))
    assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [false, false])
  })

  test('home telecom down: the result has the data from the database', async () => {
    const result = await check(specialProperty('home-telecom-down').addressUid)
    assert.deepEqual([result.available, result.products, result.maxSpeed > 0], [true, [], true])
    assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [true, false])
    assert.match(result.homeTelecomErrors.join(), /home telecom provider returned an error/)
  })

  test('broadband database down: the result still has the products from the provider', async () => {
    const result = await check(specialProperty('broadband-database-down').addressUid)
    assert.deepEqual([result.available, result.products.length >= 5, result.maxSpeed > 0], [true, true, true])
    assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [false, true])
  })

  test('both down: the check still returns a result', async () => {
    const result = await check(specialProperty('both-down').addressUid)
    assert.deepEqual([result.available, result.products, result.maxSpeed], [false, [], 0])
    assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [true, true])
  })

  test('slow upstreams: both are called at the same time, and the result is complete', async () => {
    const checking = check(specialProperty('slow-upstreams').addressUid)
    await waitFor('both are called', () => broadband.inFlight().every((calls) => calls === 1))
    const result = await checking
    assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [false, false])
    assert.ok(result.products.length >= 5)
  })

  test('a property without broadband is reported as unavailable, not as an error', async () => {
    const result = await check(specialProperty('no-broadband').addressUid)
    assert.deepEqual([result.available, result.products, result.maxSpeed], [false, [], 0])
    assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [false, false])
  })

  test('repeated checks of properties with simulated failures do not affect checks of other properties', async () => {
    for (let time = 0; time < 6; time += 1) {
      await check(specialProperty('both-down').addressUid)
      await check(specialProperty('home-telecom-down').addressUid)
    }
    const result = await check(ordinaryProperty(5).addressUid)
    assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [false, false])
  })
})

describe('the cache of upstream responses', () => {
  test('upstreams are called about a property only once in 24 hours, even if several partners check it', async () => {
    const { addressUid } = ordinaryProperty(6)
    assert.deepEqual(await callsDuring(() => check(addressUid)), [1, 1])
    const others = [callerAt(hoursAfter(noon, 23.9)), callerAt(noon, 'partner_b')]
    for (const other of others) assert.deepEqual(await callsDuring(() => check(addressUid, other)), [0, 0])
    assert.deepEqual(await callsDuring(() => check(addressUid, callerAt(hoursAfter(noon, 24)))), [1, 1])
  })

  test('a cached response gives the same result', async () => {
    const { addressUid } = ordinaryProperty(7)
    assert.deepEqual(await check(addressUid), await check(addressUid))
  })

  test('repeating a check calls only the upstreams that failed', async () => {
    assert.deepEqual(await callsDuring(() => check(specialProperty('home-telecom-down').addressUid)), [1, 0])
    assert.deepEqual(await callsDuring(() => check(specialProperty('broadband-database-down').addressUid)), [0, 1])
    assert.deepEqual(await callsDuring(() => check(specialProperty('both-down').addressUid)), [1, 1])
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

  test('a check in which home telecom failed cannot be used to add products', async () => {
    const { addressUid } = specialProperty('home-telecom-down')
    await check(addressUid)
    assert.equal(await findCheckedProducts(broadband.deps.db, 'partner_a', addressUid, noon), undefined)
  })

  test('many concurrent checks of one property all get the whole result', async () => {
    const { addressUid } = ordinaryProperty(10)
    const results = await Promise.all(Array.from({ length: 12 }, () => check(addressUid)))
    for (const result of results) assert.deepEqual({ ...result, uid: '' }, { ...results[0], uid: '' })
  })
})

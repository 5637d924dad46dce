import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SpecialCase } from '../../../src/domain/addresses/samples/special-case.ts'
import { connectPartner } from '../../support/client.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { advanceClock, testTime } from '../../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../../support/responses.ts'
import { ordinaryProperty, specialProperty } from '../../support/sample-properties.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const run = async (uid: string, own = partner) =>
  succeeded(await own.get(`/Quotes/run-broadband-availability-check/${uid}`))
const at = (specialCase: SpecialCase) => run(specialProperty(specialCase).addressUid)

interface Product {
  productId: string
  name: string
  speed: number
  price: number
  kind: string
  setupPrice: number
}

test('an ordinary home has broadband: products with speed in Mbps and price in pence, no error', async () => {
  const { uid, products, maxSpeed, ...rest } = await run(ordinaryProperty(1).addressUid)
  assert.match(uid, /^availability_/)
  assert.deepEqual(rest, {
    available: true,
    homeTelecomError: false,
    homeTelecomErrors: [],
    broadbandDatabaseError: false,
    broadbandDatabaseErrors: [],
  })
  const lines: Product[] = products.filter(({ kind }: Product) => kind === 'line')
  assert.deepEqual(products[0], {
    productId: 'fibre-67',
    name: 'Home Broadband 67',
    speed: 67,
    price: 2_600,
    kind: 'line',
    setupPrice: 1_000,
  })
  assert.ok(lines.length >= 3 && products.length > lines.length, 'lines and add-ons')
  for (const { speed } of lines) assert.ok(speed <= maxSpeed)
})

test('every ordinary sample property has broadband', async () => {
  for (const index of [0, 15, 100, 300, 700])
    assert.equal((await run(ordinaryProperty(index).addressUid)).available, true)
})

test('an addressUid makes the request on the way, and the uid answered runs the check as well', async () => {
  const { addressUid } = ordinaryProperty(2)
  const first = await run(addressUid)
  assert.deepEqual(await run(first.uid), first)
  assert.deepEqual(await run(addressUid), first)
})

test('two partners get the same result for a home, each under a uid of their own', async () => {
  const { addressUid } = ordinaryProperty(3)
  const { uid, ...result } = await run(addressUid)
  const { uid: otherUid, ...otherResult } = await run(addressUid, await connectNewPartner(service))
  assert.notEqual(otherUid, uid)
  assert.deepEqual(otherResult, result)
})

describe('where an upstream is down', { concurrency: true }, () => {
  test('the provider: its flag and a message; the database still tells that there is broadband', async () => {
    const result = await at('home-telecom-down')
    assert.deepEqual([result.available, result.products, result.homeTelecomError], [true, [], true])
    assert.ok(result.maxSpeed > 0)
    assert.equal(result.homeTelecomErrors.length, 1)
    assert.deepEqual([result.broadbandDatabaseError, result.broadbandDatabaseErrors], [false, []])
  })

  test('the database: its flag and a message; the products are there', async () => {
    const result = await at('broadband-database-down')
    assert.deepEqual([result.available, result.broadbandDatabaseError], [true, true])
    assert.ok(result.products.length > 0 && result.maxSpeed > 0)
    assert.equal(result.broadbandDatabaseErrors.length, 1)
    assert.deepEqual([result.homeTelecomError, result.homeTelecomErrors], [false, []])
  })

  test('both: still 200, with both flags and nothing available; asked again, it still says so', async () => {
    for (const result of [await at('both-down'), await at('both-down')]) {
      assert.deepEqual([result.available, result.maxSpeed, result.products], [false, 0, []])
      assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [true, true])
      for (const message of [...result.homeTelecomErrors, ...result.broadbandDatabaseErrors]) {
        assert.match(message, /Run the check again/)
        assert.doesNotMatch(message, /127\.0\.0\.1|http|simulat/i)
      }
    }
  })

  test('slow ones answer without an error', async () => {
    const result = await at('slow-upstreams')
    assert.deepEqual([result.available, result.homeTelecomError, result.broadbandDatabaseError], [true, false, false])
  })
})

test('no broadband: nothing available and nothing wrong', async () => {
  const { uid, ...result } = await at('no-broadband')
  assert.ok(uid)
  assert.deepEqual(result, {
    available: false,
    maxSpeed: 0,
    products: [],
    homeTelecomError: false,
    homeTelecomErrors: [],
    broadbandDatabaseError: false,
    broadbandDatabaseErrors: [],
  })
})

test('one home that is down, asked about over and over, takes no other home down with it', async () => {
  for (let count = 0; count < 3; count += 1) await at('both-down')
  const { homeTelecomError, broadbandDatabaseError } = await run(ordinaryProperty(4).addressUid)
  assert.deepEqual([homeTelecomError, broadbandDatabaseError], [false, false])
})

test('results outlive 24 hours of the sandbox clock in a new request', async () => {
  const own = await connectNewPartner(service)
  const { addressUid } = ordinaryProperty(5)
  const first = await run(addressUid, own)
  await advanceClock(own, { days: 2 })
  const second = await run(addressUid, own)
  assert.notEqual(second.uid, first.uid)
  assert.deepEqual({ ...second, uid: first.uid }, first)
})

test('an address that is none of ours is unknown', async () => {
  for (const uid of ['address_01h455vb4pex5vsknk084sn02q', 'quote_01h455vb4pex5vsknk084sn02q', '%00', '%F0%9F%8F%A0']) {
    assertProblem(await partner.get(`/Quotes/run-broadband-availability-check/${uid}`), 'not_found')
  }
})

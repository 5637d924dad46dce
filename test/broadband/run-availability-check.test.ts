import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { SpecialCase } from '../../src/sandbox/samples/special-case.ts'
import { connectPartner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded, withoutRequestId } from '../support/responses.ts'
import { ordinaryProperty, specialProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const run = async (uid: string, own = partner) =>
  succeeded(await own.get(`/Quotes/run-broadband-availability-check/${uid}`))
const at = (specialCase: SpecialCase) => run(specialProperty(specialCase).addressUid)

interface Product {
  productId: string
  name: string
  speed: number
  uploadSpeed: number | null
  normalSpeed: number | null
  minimumSpeed: number | null
  price: number
  kind: string
  setupPrice: number
}

test('an ordinary property has broadband: products with speed in Mbps, price in pence and no error', async () => {
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
    uploadSpeed: 18,
    normalSpeed: 62,
    minimumSpeed: 48,
    price: 2_600,
    kind: 'line',
    setupPrice: 1_000,
  })
  assert.ok(lines.length >= 3 && products.length > lines.length, 'expected lines and add-ons')
  for (const { speed, uploadSpeed, normalSpeed, minimumSpeed } of lines) {
    assert.ok(speed <= maxSpeed && (uploadSpeed ?? 0) > 0)
    assert.ok((minimumSpeed ?? 0) > 0 && (minimumSpeed ?? 0) <= (normalSpeed ?? 0) && (normalSpeed ?? 0) <= speed)
  }
})

test('a check by addressUid creates a request, and a check by the uid of that request returns the same result', async () => {
  const { addressUid } = ordinaryProperty(2)
  const first = await run(addressUid)
  assert.deepEqual(await run(first.uid), first)
  assert.deepEqual(await run(addressUid), first)
})

test('two partners get the same result for one property, each with a different uid', async () => {
  const { addressUid } = ordinaryProperty(3)
  const { uid, ...result } = await run(addressUid)
  const { uid: otherUid, ...otherResult } = await run(addressUid, await connectNewPartner(service))
  assert.notEqual(otherUid, uid)
  assert.deepEqual(otherResult, result)
})

describe('when an upstream is down', { concurrency: true }, () => {
  test('with both upstreams down, the check returns 200 with both error flags and no products, even if repeated', async () => {
    for (const result of [await at('both-down'), await at('both-down')]) {
      assert.deepEqual([result.available, result.maxSpeed, result.products], [false, 0, []])
      assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [true, true])
      for (const message of [...result.homeTelecomErrors, ...result.broadbandDatabaseErrors]) {
        assert.match(message, /Run the check again/)
        assert.doesNotMatch(message, /127\.0\.0\.1|http|simulat/i)
      }
    }
  })
})

test('a check of a property without broadband returns no products and no error', async () => {
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

test('after 24 hours on the sandbox clock, a check makes a new request but reuses the cached results', async () => {
  const own = await connectNewPartner(service)
  const { addressUid } = ordinaryProperty(5)
  const first = await run(addressUid, own)
  await advanceClock(own, { days: 2 })
  const second = await run(addressUid, own)
  assert.notEqual(second.uid, first.uid)
  assert.deepEqual({ ...second, uid: first.uid }, first)
})

const { addressUid } = ordinaryProperty()
const path = '/Quotes/broadband-availability-requests'
const check = (uid: string, own = partner) => own.get(`/Quotes/run-broadband-availability-check/${uid}`)

test('an availability request is pending and valid for 24 hours; two requests for one property have different uids', async () => {
  const request = succeeded(await partner.post(path, { addressUid }))
  assert.deepEqual(Object.keys(request).sort(), ['addressUid', 'expiresAt', 'status', 'uid'])
  assert.deepEqual([request.addressUid, request.status], [addressUid, 'pending'])
  assert.match(request.uid, /^availability_[0-7][0-9a-hjkmnp-tv-z]{25}$/)
  assert.match(request.expiresAt, /^2026-12-02T09:\d\d:\d\d\.\d{3}Z$/)
  assert.notEqual(succeeded(await partner.post(path, { addressUid })).uid, request.uid)
})

test('the uid can be used for any number of checks for 24 hours; after that, the check returns 404', async () => {
  const own = await connectNewPartner(service)
  const { uid } = succeeded(await own.post(path, { addressUid }))
  assert.equal(succeeded(await check(uid, own)).uid, uid)
  assert.equal(succeeded(await check(uid, own)).uid, uid)
  await advanceClock(own, { seconds: 86_000 })
  assert.equal(succeeded(await check(uid, own)).uid, uid)
  await advanceClock(own, { seconds: 400 })
  const expired = await check(uid, own)
  assertProblem(expired, 'not_found')
  const unknown = await check('availability_01h455vb4pex5vsknk084sn02q', own)
  assert.equal(withoutRequestId(expired), withoutRequestId(unknown))
})

test('an addressUid that belongs to no property returns address_not_found', async () => {
  for (const unknown of ['address_01h455vb4pex5vsknk084sn02q', 'x', addressUid.toUpperCase()]) {
    assertProblem(await partner.post(path, { addressUid: unknown }), 'address_not_found', [
      '/addressUid address_not_found',
    ])
  }
})

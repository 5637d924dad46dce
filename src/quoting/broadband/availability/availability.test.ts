import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BroadbandRecord } from '../../../broadband/broadband-providers.ts'
import { upstreamFailureKinds } from '../../../platform/kernel/upstream-failure.ts'
import type { BroadbandProduct } from '../../packages/package.ts'
import { mergeAvailability, type UpstreamResult } from './availability.ts'

function line(productId: string, speedMbps: number): BroadbandProduct {
  return { productId, name: `Line ${speedMbps}`, kind: 'line', speedMbps, monthlyPrice: 2_900, setupPrice: 1_000 }
}
const mesh: BroadbandProduct = {
  productId: 'mesh',
  name: 'Whole Home Wi-Fi',
  kind: 'addon',
  speedMbps: 0,
  monthlyPrice: 700,
  setupPrice: 2_500,
}
const noSpeeds = { uploadSpeed: null, normalSpeed: null, minimumSpeed: null }
const timeout = { failure: 'timeout' } as const
const nothing: BroadbandRecord = { available: false, maxSpeedMbps: 0 }

test('if both upstreams respond, a check takes the products from the provider and the speed from the database', () => {
  const result = mergeAvailability(
    'availability_1',
    {
      response: [
        mesh,
        { ...line('b', 150), speeds: { uploadMbps: 30, normalMbps: 145, minimumMbps: 75 } },
        line('a', 67),
      ],
    },
    { response: { available: true, maxSpeedMbps: 1_000 } },
  )
  assert.deepEqual(result, {
    uid: 'availability_1',
    available: true,
    maxSpeed: 1_000,
    products: [
      { productId: 'a', name: 'Line 67', speed: 67, ...noSpeeds, price: 2_900, kind: 'line', setupPrice: 1_000 },
      {
        productId: 'b',
        name: 'Line 150',
        speed: 150,
        uploadSpeed: 30,
        normalSpeed: 145,
        minimumSpeed: 75,
        price: 2_900,
        kind: 'line',
        setupPrice: 1_000,
      },
      {
        productId: 'mesh',
        name: 'Whole Home Wi-Fi',
        speed: 0,
        ...noSpeeds,
        price: 700,
        kind: 'addon',
        setupPrice: 2_500,
      },
    ],
    homeTelecomError: false,
    homeTelecomErrors: [],
    broadbandDatabaseError: false,
    broadbandDatabaseErrors: [],
  })
})

test('if the home telecom provider fails, a check uses the database and explains what to do', () => {
  const result = mergeAvailability('u', timeout, { response: { available: true, maxSpeedMbps: 500 } })
  assert.deepEqual([result.available, result.maxSpeed, result.products], [true, 500, []])
  assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [true, false])
  assert.deepEqual(result.homeTelecomErrors, [
    'The home telecom provider did not respond in time. Until it responds, the available products are unknown. Run the check again in a minute: it only queries the provider that failed.',
  ])
})

test('if the broadband database fails, a check uses the speed of the fastest line on sale', () => {
  const result = mergeAvailability('u', { response: [line('a', 67), line('b', 500)] }, { failure: 'status' })
  assert.deepEqual([result.available, result.maxSpeed, result.products.length], [true, 500, 2])
  assert.match(result.broadbandDatabaseErrors.join(), /^The broadband database returned an error\. /)
})

test('if both upstreams fail, a check reports broadband as unavailable, with both errors', () => {
  const result = mergeAvailability('u', timeout, { failure: 'circuit-open' })
  assert.deepEqual([result.available, result.maxSpeed, result.products], [false, 0, []])
  assert.deepEqual([result.homeTelecomErrors.length, result.broadbandDatabaseErrors.length], [1, 1])
})

test('if the upstreams disagree, a check reports broadband as available at the faster speed', () => {
  const sold = mergeAvailability('u', { response: [line('a', 150)] }, { response: nothing })
  assert.deepEqual([sold.available, sold.maxSpeed], [true, 150])
  const notSold = mergeAvailability('u', { response: [] }, { response: { available: true, maxSpeedMbps: 80 } })
  assert.deepEqual([notSold.available, notSold.maxSpeed, notSold.products], [true, 80, []])
  const behind = mergeAvailability(
    'u',
    { response: [line('a', 900)] },
    { response: { available: true, maxSpeedMbps: 80 } },
  )
  assert.equal(behind.maxSpeed, 900)
})

test('if the provider sells only an add-on, a check reports broadband as unavailable', () => {
  assert.equal(mergeAvailability('u', { response: [mesh] }, { response: nothing }).available, false)
})

test('lines that may not be sold without speeds are named in an error that says what to do', () => {
  const result = mergeAvailability('u', { response: [mesh] }, { response: nothing }, [line('a', 67), line('b', 150)])
  assert.equal(result.homeTelecomError, true)
  assert.match(result.homeTelecomErrors.join(), /for these lines: a, b\. .* Choose another line/)
  const many = Array.from({ length: 200 }, (_, index) => line(`${index}`.padEnd(100, 'x'), 67))
  const [message = ''] = mergeAvailability('u', { response: [] }, { response: nothing }, many).homeTelecomErrors
  assert.ok(message.length <= 1_000 && message.includes(' and others. '))
})

test('whatever the upstreams return, the flags and messages of a check are consistent and every product is kept', () => {
  const failure = fc.record({ failure: fc.constantFrom(...upstreamFailureKinds) })
  const speed = fc.nat({ max: 2_000 })
  const products = fc.array(speed).map((speeds) => speeds.map((each, index) => line(String(index), each)))
  const homeTelecom: fc.Arbitrary<UpstreamResult<BroadbandProduct[]>> = fc.oneof(
    failure,
    fc.record({ response: products }),
  )
  const record = fc.record({ available: fc.boolean(), maxSpeedMbps: speed })
  const database: fc.Arbitrary<UpstreamResult<BroadbandRecord>> = fc.oneof(failure, fc.record({ response: record }))
  fc.assert(
    fc.property(homeTelecom, database, (telecom, networks) => {
      const result = mergeAvailability('u', telecom, networks)
      assert.equal(result.homeTelecomError, 'failure' in telecom)
      assert.equal(result.homeTelecomError, result.homeTelecomErrors.length > 0)
      assert.equal(result.broadbandDatabaseError, 'failure' in networks)
      assert.equal(result.broadbandDatabaseError, result.broadbandDatabaseErrors.length > 0)
      if (result.homeTelecomError && result.broadbandDatabaseError) assert.equal(result.available, false)
      assert.equal(result.products.length, 'response' in telecom ? telecom.response.length : 0)
      assert.ok(result.products.every((product) => product.speed <= result.maxSpeed))
    }),
  )
})

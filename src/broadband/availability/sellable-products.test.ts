import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { BroadbandProduct, LineSpeeds } from '../../quoting/packages/package.ts'
import { fibreLine, wifiAddOn } from '../../quoting/pricing/rate-card.fixture.ts'
import { sellableProducts } from './run-availability-check.ts'

const speeds: LineSpeeds = { uploadMbps: 30, normalMbps: 140, minimumMbps: 75 }
const { speeds: _, ...withoutSpeeds } = fibreLine

test('live sells a line that states its speeds, and every add-on', () => {
  const offered = [{ ...fibreLine, speeds }, wifiAddOn]
  assert.deepEqual(sellableProducts(offered, 'live'), { products: offered, linesWithoutSpeeds: [] })
})

test('live does not sell a line without speeds; a sandbox does', () => {
  assert.deepEqual(sellableProducts([withoutSpeeds, wifiAddOn], 'live'), {
    products: [wifiAddOn],
    linesWithoutSpeeds: [withoutSpeeds],
  })
  assert.deepEqual(sellableProducts([withoutSpeeds], 'sandbox'), { products: [withoutSpeeds], linesWithoutSpeeds: [] })
})

test('live does not sell a line whose speeds are zero or contradict each other', () => {
  for (const wrong of [{ uploadMbps: 0 }, { minimumMbps: 0 }, { minimumMbps: 141 }, { normalMbps: 151 }]) {
    const product = { ...fibreLine, speeds: { ...speeds, ...wrong } }
    assert.deepEqual(sellableProducts([product], 'live').products, [], JSON.stringify(wrong))
  }
})

test('every product is either sold or listed as a line without speeds, in the order of the offer', () => {
  const speed = fc.nat({ max: 200 })
  const product = fc
    .record({ uploadMbps: speed, normalMbps: speed, minimumMbps: speed })
    .map((each): BroadbandProduct => ({ ...fibreLine, speeds: each }))
  fc.assert(
    fc.property(fc.array(fc.oneof(product, fc.constant(withoutSpeeds), fc.constant(wifiAddOn))), (offered) => {
      const { products, linesWithoutSpeeds } = sellableProducts(offered, 'live')
      assert.deepEqual(
        offered.filter((each) => !linesWithoutSpeeds.includes(each)),
        products,
      )
      for (const { kind, speeds: stated, speedMbps } of products) {
        assert.ok(
          kind === 'addon' || (stated && stated.minimumMbps <= stated.normalMbps && stated.normalMbps <= speedMbps),
        )
      }
    }),
  )
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSamplePlaces } from '../../sandbox/samples/sample-postcodes.ts'
import { distributionRegions } from './distribution-regions.ts'
import { regionName, regionOf } from './region.ts'

test('a regional distributor in the MPAN determines the region', () => {
  assert.equal(regionOf({ mpan: '1800021679848', postcode: 'NR4 7TJ' }), '_N')
  assert.equal(regionOf({ mpan: '1800021679848', postcode: 'TE5 7AA' }), '_N')
  for (const { distributorId, gspGroup } of distributionRegions) {
    assert.equal(regionOf({ mpan: `${distributorId}00000000000`, postcode: 'BT7 1NN' }), gspGroup)
  }
})

test('the postcode area determines the region if the MPAN is missing or from an independent network', () => {
  for (const mpan of ['2400000000000', '2699899345403', null]) {
    assert.equal(regionOf({ mpan, postcode: 'NR4 7TJ' }), '_A')
    assert.equal(regionOf({ mpan, postcode: 'E1 4NS' }), '_C')
    assert.equal(regionOf({ mpan, postcode: 'DD1 4HN' }), '_P')
    assert.equal(regionOf({ mpan, postcode: 'TE5 7AA' }), '_F')
  }
})

test('the region is null if neither the distributor nor the postcode area is known', () => {
  for (const postcode of ['BT7 1NN', 'GIR 0AA', 'JE2 3AB', '']) assert.equal(regionOf({ mpan: null, postcode }), null)
})

test('the postcode of a sample place gives the same region as its distributor, except in York', () => {
  for (const { postcode, distributorId } of readSamplePlaces()) {
    const byMeter = regionOf({ mpan: distributorId, postcode })
    // The city of York is in Yorkshire, but most of its postcode area is in the North East. Only the MPAN identifies
    // the region.
    const expected = postcode === 'YO10 5DD' ? '_F' : byMeter
    assert.equal(regionOf({ mpan: null, postcode }), expected, postcode)
  }
})

test('there are 14 regions, each with a name', () => {
  assert.equal(distributionRegions.length, 14)
  assert.equal(regionName('_D'), 'Merseyside and North Wales')
})

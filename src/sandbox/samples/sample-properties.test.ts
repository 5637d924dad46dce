import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAddressUid } from '../../properties/address-uid.ts'
import { distributorId, isMpan, isMprn } from '../../properties/meter-points/meter-points.ts'
import { distributionRegions } from '../../properties/postcodes/distribution-regions.ts'
import { isServedPostcode, normalisePostcode } from '../../properties/postcodes/postcode.ts'
import { regionOf } from '../../properties/postcodes/region.ts'
import { orderProperties } from '../../properties/property-order.ts'
import { readSamplePlaces } from './sample-postcodes.ts'
import { generateSampleProperties } from './sample-properties.ts'
import { specialCases } from './special-case.ts'

const all = generateSampleProperties()
const ordinary = all.filter((home) => home.specialCase === null)
const special = orderProperties(all.filter((home) => home.postcode === 'TE5 7AA'))

test('the sample properties are the same every time they are generated, including their ids', () => {
  assert.deepEqual(generateSampleProperties(), all)
  const [first] = all
  assert.equal(first?.addressUid, 'address_01kdvdna00f3t9e57dd9ybc529')
  assert.equal(first?.mpan, '1099850091430')
})

test('there are fifteen sample properties per postcode, and all 14 regions have some', () => {
  assert.equal(ordinary.length, readSamplePlaces().length * 15)
  assert.ok(ordinary.length >= 600)
  assert.deepEqual(new Set(ordinary.map(regionOf)), new Set(distributionRegions.map(({ gspGroup }) => gspGroup)))
})

test('each sample property has a served postcode, valid meters in its region and an address marked as a sample', () => {
  for (const home of all) {
    assert.equal(normalisePostcode(home.postcode), home.postcode)
    assert.ok(isServedPostcode(home.postcode))
    assert.ok(isAddressUid(home.addressUid))
    assert.match(home.uprn, /^\d{12}$/)
    assert.ok(home.addressLine2.includes('Sandbox sample'))
    assert.ok(home.mpan === null || isMpan(home.mpan), home.mpan ?? '')
    assert.ok(home.mprn === null || isMprn(home.mprn), home.mprn ?? '')
  }
})

test('a sample property has both meters unless it is a special case', () => {
  for (const home of ordinary) assert.ok(home.mpan !== null && home.mprn !== null)
})

test('no two sample properties share an id or a meter', () => {
  for (const name of ['addressUid', 'uprn', 'mpan', 'mprn'] as const) {
    const values = all.map((home) => home[name]).filter((value) => value !== null)
    assert.equal(new Set(values).size, values.length, name)
  }
})

test('the special postcode has one property per special case, and sorting them gives the documented order', () => {
  assert.deepEqual(
    special.map((home) => home.specialCase),
    specialCases,
  )
  const says = [
    'no gas',
    'no electricity',
    'no meters',
    'home-telecom provider down',
    'broadband database down',
    'both down',
  ]
  const more = ['slow upstreams', 'no broadband', 'IDNO meter', 'Scotland', 'not serviceable']
  const meters = ['prepayment meter', 'heat network', 'two-rate meter']
  assert.deepEqual(
    special.map((home) => home.addressLine1.replace(/^House \d+: /, '')),
    [...says, ...more, ...meters],
  )
})

test('the property of each special case has the meters that the case requires', () => {
  const meters = special.map((home) => [
    home.mpan && distributorId(home.mpan),
    home.mprn !== null,
    home.country,
    regionOf(home),
  ])
  const usual = ['15', true, 'England', '_F']
  assert.deepEqual(meters, [
    ['15', false, 'England', '_F'],
    [null, true, 'England', '_F'],
    [null, false, 'England', '_F'],
    usual,
    usual,
    usual,
    usual,
    usual,
    ['26', true, 'England', '_F'],
    ['18', true, 'Scotland', '_N'],
    [null, true, 'England', '_F'],
    ...[usual, usual, usual],
  ])
})

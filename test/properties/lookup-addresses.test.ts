import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { databaseAddressSource } from '../../src/properties/address-suppliers/address-database.ts'
import { lookupAddresses } from '../../src/properties/lookup-addresses.ts'
import { orderProperties } from '../../src/properties/property-order.ts'
import { requireProperty, requireRegion } from '../../src/properties/require-property.ts'
import { generateSampleProperties, seedSamples } from '../../src/sandbox/samples/sample-properties.ts'
import { createAddressDatabase } from './address-database.ts'

const database = await createAddressDatabase()
const samples = generateSampleProperties()

await seedSamples(database)

function lookup(postcode: string) {
  return lookupAddresses({ addresses: databaseAddressSource(database) }, { postcode })
}

test('a sample postcode returns its fifteen properties in order, however it is written', async () => {
  const expected = orderProperties(samples.filter((property) => property.postcode === 'SW7 2AZ'))
  assert.equal(expected.length, 15)
  for (const text of ['SW7 2AZ', 'sw72az', ' sw7\u00a02az ']) assert.deepEqual(await lookup(text), expected)
})

test('a postcode that is not served is not requested from the source', async () => {
  const never = {
    hasSamples: true,
    findByPostcode: () => assert.fail('requested a postcode that is not served'),
    findByUid: async () => null,
    findByUprn: async () => null,
    findInSector: async () => [],
  }
  assert.deepEqual(await lookupAddresses({ addresses: never }, { postcode: 'JE2 3AB' }), [])
})

test('an addressUid returns its property', async () => {
  const addresses = databaseAddressSource(database)
  for (const property of samples.slice(-12))
    assert.deepEqual(await requireProperty(addresses, property.addressUid), property)
})

test('an unknown or malformed addressUid returns address_not_found and points at the field', async () => {
  const addresses = databaseAddressSource(database)
  for (const uid of [
    'address_01kdvdna00f3t9e57dd9ybc52a',
    'quote_01kdvdna00f3t9e57dd9ybc529',
    '',
    '\u0000',
    '\ud800',
    "' or 1=1",
  ]) {
    assert.equal(await addresses.findByUid(uid), null)
    await assert.rejects(requireProperty(addresses, uid, '/path/uid'), (error) => {
      assert.ok(error instanceof DomainError)
      assert.equal(error.code, 'address_not_found')
      assert.equal(error.fields[0]?.pointer, '/path/uid')
      return true
    })
  }
})

test('a property that has no meters and is outside the known areas returns address_not_serviceable if its region is required', () => {
  const [property] = samples
  assert.ok(property)
  assert.equal(requireRegion(property), '_A')
  assert.throws(() => requireRegion({ ...property, mpan: null, postcode: 'BT7 1NN' }), {
    code: 'address_not_serviceable',
  })
})

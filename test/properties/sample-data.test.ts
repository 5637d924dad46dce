import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/platform/db/sql.ts'
import { getAddressStats } from '../../src/properties/address-stats.ts'
import { databaseAddressSource } from '../../src/properties/address-suppliers/address-database.ts'
import { listSamplePostcodes } from '../../src/sandbox/samples/list-sample-postcodes.ts'
import { generateSampleProperties, seedSamples } from '../../src/sandbox/samples/sample-properties.ts'
import { createAddressDatabase } from './address-database.ts'

const database = await createAddressDatabase()
const addresses = databaseAddressSource(database)
const samples = generateSampleProperties()

test('statistics of an empty database show no properties and list all regions', async () => {
  const stats = await getAddressStats(database)
  assert.deepEqual(
    Object.values(stats.bySource).filter((count) => count !== 0),
    [],
  )
  assert.equal(stats.properties, 0)
  assert.equal(stats.byRegion.length, 14)
  assert.deepEqual(await listSamplePostcodes({ db: database, addresses }), [])
})

test('seeding an empty database repeatedly, and by two processes at once, stores every sample once', async () => {
  assert.equal(await seedSamples(database), samples.length)
  assert.deepEqual(await Promise.all([seedSamples(database), seedSamples(database)]), [0, 0])
})

test('seeding again keeps a changed sample and restores a removed one', async () => {
  const [changed, removed] = samples
  assert.ok(changed && removed)
  await database.query(sql`update properties set city = 'Elsewhere' where address_uid = ${changed.addressUid}`)
  await database.query(sql`delete from properties where address_uid = ${removed.addressUid}`)
  assert.equal(await seedSamples(database), 1)
  const rows = await database.query(sql`select city from properties where address_uid = ${changed.addressUid}`)
  assert.deepEqual(rows, [{ city: 'Elsewhere' }])
})

test('the samples cover every region, including Scotland and the independent network', async () => {
  const stats = await getAddressStats(database)
  assert.deepEqual([stats.bySource.sample, stats.properties], [samples.length, samples.length])
  assert.equal(stats.withoutRegion, 0)
  const count = (region: string) => stats.byRegion.find((each) => each.region === region)
  // North East England has four postcodes and thirteen special properties. South Scotland has four postcodes and one
  // special property.
  assert.deepEqual(count('_F'), { region: '_F', name: 'North East England', properties: 73 })
  assert.deepEqual(count('_N'), { region: '_N', name: 'South Scotland', properties: 61 })
  assert.ok(stats.byRegion.every(({ properties }) => properties >= 15))
})

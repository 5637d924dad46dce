import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { findProperty } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

interface SamplePostcode {
  postcode: string
  region: string
  properties: number
}

test('every sample postcode is listed once, with its region and number of properties', async () => {
  const { data }: { data: SamplePostcode[] } = succeeded(await partner.get('/Sandbox/postcodes'))
  assert.equal(data.length, 49)
  assert.equal(new Set(data.map(({ postcode }) => postcode)).size, data.length)
  for (const { postcode, region, properties } of data) {
    assert.ok(region.length > 3, postcode)
    const homes = succeeded(await partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`))
    assert.equal(homes.length, properties, postcode)
  }
  const regionOf = (postcode: string) => data.find((each) => each.postcode === postcode)?.region
  assert.equal(regionOf('NR4 7TJ'), 'Eastern')
  assert.equal(regionOf('TE5 7AA'), regionOf('NE1 7RU'))
  assert.equal(new Set(data.map(({ region }) => region)).size, 14)
})

test('a property at any sample postcode can be quoted', async () => {
  const { data }: { data: SamplePostcode[] } = succeeded(await partner.get('/Sandbox/postcodes'))
  for (const { postcode } of data) {
    const addressUid = await findProperty(partner, postcode)
    succeeded(await partner.post('/Quotes', { addressUid, packages: ['broadband'] }))
  }
})

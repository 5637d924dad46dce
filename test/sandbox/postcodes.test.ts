import assert from 'node:assert/strict'
import { test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { findProperty } from '../support/household.ts'
import { createQuote } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
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

test('the special homes offer what docs/sandbox.md says: no gas, no electricity, broadband alone, nothing at all', async () => {
  const homeAt = (home: string) => findProperty(partner, 'TE5 7AA', home)
  for (const [home, missing] of [
    ['House 1:', ['gas']],
    ['House 2:', ['electricity']],
    ['House 3:', ['electricity', 'gas']],
  ] as const) {
    const addressUid = await homeAt(home)
    const { availablePackages } = await createQuote(partner, { addressUid })
    const types = ['electricity', 'gas', 'broadband'].filter((type) => !missing.some((each) => each === type))
    assert.deepEqual([...new Set(availablePackages.map(({ type }) => type))], types, home)
    const wanted = { addressUid, packages: [missing[0]] }
    assertProblem(await partner.post('/Quotes', wanted), 'package_not_available', ['/packages/0'])
  }
  assertProblem(await partner.post('/Quotes', { addressUid: await homeAt('House 11') }), 'address_not_serviceable')
})

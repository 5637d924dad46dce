import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createIdealPostcodes } from '../../../src/properties/address-suppliers/ideal-postcodes/ideal-postcodes.ts'
import { json, type Script } from '../../platform/outbound/scripted-server.ts'
import { failureOf } from '../../platform/outbound/upstream-fixture.ts'
import { expectLookupFailure, supplierFixture } from './supplier-fixture.ts'

const key = 'ak_test_aB3xyz'

/** An address as the API returns it, with every documented field. */
function address(change: Record<string, unknown> = {}) {
  return {
    postcode: 'SW1A 2AA',
    postcode_inward: '2AA',
    postcode_outward: 'SW1A',
    post_town: 'LONDON',
    dependant_locality: '',
    double_dependant_locality: '',
    thoroughfare: 'Downing Street',
    dependant_thoroughfare: '',
    building_number: '10',
    building_name: '',
    sub_building_name: '',
    po_box: '',
    department_name: '',
    organisation_name: 'Prime Minister & First Lord Of The Treasury',
    udprn: 23747771,
    umprn: '',
    postcode_type: 'L',
    su_organisation_indicator: '',
    delivery_point_suffix: '1A',
    line_1: 'Prime Minister & First Lord Of The Treasury',
    line_2: '10 Downing Street',
    line_3: '',
    premise: '10',
    longitude: -0.12767,
    latitude: 51.503541,
    eastings: 530047,
    northings: 179951,
    country: 'England',
    traditional_county: 'Greater London',
    administrative_county: '',
    postal_county: 'London',
    county: 'London',
    district: 'Westminster',
    ward: "St James's",
    uprn: '100023336956',
    ...change,
  }
}

const success = (result: unknown[], paging = {}) =>
  json(JSON.stringify({ result, code: 2000, message: 'Success', ...paging }))
const rejection = (status: number, code: number, message: string) => json(JSON.stringify({ code, message }), status)
const fixture = await supplierFixture(
  'ideal-postcodes',
  (upstream) => createIdealPostcodes(upstream, key),
  success([address()]),
)

test('a lookup sends the documented request, with the key in a header only', async () => {
  await fixture.supplier().listProperties('SW1A 2AA')
  const [request] = fixture.requests
  assert.equal(request?.url, '/v1/postcodes/SW1A%202AA')
  assert.equal(request?.method, 'GET')
  assert.equal(request?.headers.authorization, `IDEALPOSTCODES api_key="${key}"`)
  assert.match(String(request?.headers.traceparent), /^00-/)
})

test('mapping an address keeps its lines, town, county, nation and UPRN', async () => {
  assert.deepEqual(await fixture.supplier().listProperties('SW1A 2AA'), [
    {
      addressLine1: 'Prime Minister & First Lord Of The Treasury',
      addressLine2: '10 Downing Street',
      city: 'LONDON',
      county: 'London',
      country: 'England',
      postcode: 'SW1A 2AA',
      uprn: '100023336956',
    },
  ])
})

test('mapping normalises an address with three lines, an unspaced postcode and a numeric UPRN', async () => {
  const lines = { line_1: 'Flat 2', line_2: ' 14  High Street\u0000', line_3: 'Little Snoring' }
  fixture.respondWith(success([address({ ...lines, postcode: 'sw1a2aa', uprn: 0o7, country: 'Wales', county: '' })]))
  const [property] = await fixture.supplier().listProperties('SW1A 2AA')
  assert.deepEqual(
    { ...property, city: '' },
    {
      addressLine1: 'Flat 2',
      addressLine2: '14 High Street, Little Snoring',
      city: '',
      county: '',
      country: 'Wales',
      postcode: 'SW1A 2AA',
      uprn: '7',
    },
  )
})

test('mapping drops duplicate UPRNs and addresses that cannot be quoted', async () => {
  fixture.respondWith(
    success([
      address({ uprn: '1' }),
      address({ uprn: '' }),
      address({ uprn: '0' }),
      address({ uprn: '2', country: 'Northern Ireland' }),
      address({ uprn: '3', country: '' }),
      address({ uprn: '4', po_box: 'PO BOX 12' }),
      address({ uprn: '5', postcode: 'SW1A 2AB' }),
      address({ uprn: '6', line_1: '', line_2: '', line_3: '' }),
      address({ uprn: '1', line_1: 'Another organisation at the same address' }),
      address({ uprn: '7', country: 'Scotland' }),
    ]),
  )
  const properties = await fixture.supplier().listProperties('SW1A 2AA')
  assert.deepEqual(
    properties.map(({ uprn }) => uprn),
    ['1', '7'],
  )
  assert.equal(properties[0]?.addressLine1, 'Prime Minister & First Lord Of The Treasury')
})

/** Responses for a key with Multiple Residence data: pages of 100, numbered from 0. */
function paged(total: number, cut = total): Script {
  return (request, response) => {
    const page = Number(new URL(request.url ?? '', 'http://x').searchParams.get('page') ?? 0)
    const length = Math.max(0, Math.min(100, cut - page * 100))
    const result = Array.from({ length }, (_, index) => address({ uprn: String(1 + page * 100 + index) }))
    success(result, { page, total, limit: 100 })(request, response)
  }
}

test('a lookup returns all 250 residences of a postcode, from three pages', async () => {
  fixture.respondWith(paged(250))
  const properties = await fixture.supplier().listProperties('SW1A 2AA')
  assert.equal(new Set(properties.map(({ uprn }) => uprn)).size, 250)
  assert.deepEqual(
    fixture.asked().map(({ search }) => search),
    ['', '?page=1', '?page=2'],
  )
})

test('a lookup of exactly 100 addresses takes one request if the responses are not paged', async () => {
  fixture.respondWith(success(Array.from({ length: 100 }, (_, index) => address({ uprn: String(index + 1) }))))
  assert.equal((await fixture.supplier().listProperties('SW1A 2AA')).length, 100)
  assert.equal(fixture.requests.length, 1)
})

test('a lookup fails instead of returning part of a list if the list is shorter than its stated total or that total is absurd', async () => {
  fixture.respondWith(paged(250, 150))
  assert.equal((await failureOf(fixture.supplier().listProperties('SW1A 2AA'))).kind, 'wrong-shape')
  fixture.respondWith(paged(1_000_000))
  assert.equal((await failureOf(fixture.supplier().listProperties('SW1A 2AA'))).kind, 'too-large')
  assert.ok(fixture.requests.length < 30)
})

test('looking up a postcode that does not exist (4040) returns no properties', async () => {
  fixture.respondWith(rejection(404, 4040, 'Postcode not found'))
  assert.deepEqual(await fixture.supplier().listProperties('SW1A 2AA'), [])
})

const seeAlso = `For more information see http://ideal-postcodes.co.uk/documentation/response-codes ${key}`

for (const [status, code, reason] of [
  [401, 4010, /^ideal-postcodes: rejected ADDRESS_SOURCE_KEY: the key is unknown \(status 401, code 4010\)$/],
  [401, 4011, /rejected ADDRESS_SOURCE_KEY from this machine/],
  [402, 4020, /has no lookups left on ADDRESS_SOURCE_KEY/],
  [402, 4021, /has reached the limit/],
  [404, 4042, /rejected ADDRESS_SOURCE_KEY: the key is unknown \(status 404, code 4042\)/],
  [400, 4000, /rejected the lookup \(status 400, code 4000\)/],
] as const) {
  test(`code ${code} makes the lookup fail without a retry and tells the operator why`, async () => {
    fixture.respondWith(rejection(status, code, seeAlso))
    const failure = await expectLookupFailure(fixture, key, 'SW1A 2AA')
    assert.equal(failure.kind, 'status')
    assert.equal(failure.statusCode, status)
    assert.match(failure.message, reason)
    assert.equal(fixture.requests.length, 1)
  })
}

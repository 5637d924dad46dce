import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOsPlaces } from '../../../src/properties/address-suppliers/os-places/os-places.ts'
import { json, type Script } from '../../platform/outbound/scripted-server.ts'
import { failureOf } from '../../platform/outbound/upstream-fixture.ts'
import { expectLookupFailure, supplierFixture } from './supplier-fixture.ts'

const key = 'os_test_Zx81kQ'

/** An address as the API returns it, with every documented field. */
function delivery(change: Record<string, unknown> = {}) {
  return {
    DPA: {
      UPRN: '200010019924',
      UDPRN: '52126562',
      ADDRESS: 'ORDNANCE SURVEY, 4, ADANAC DRIVE, NURSLING, SOUTHAMPTON, SO16 0AS',
      ORGANISATION_NAME: 'ORDNANCE SURVEY',
      BUILDING_NUMBER: '4',
      THOROUGHFARE_NAME: 'ADANAC DRIVE',
      DEPENDENT_LOCALITY: 'NURSLING',
      POST_TOWN: 'SOUTHAMPTON',
      POSTCODE: 'SO16 0AS',
      RPC: '2',
      X_COORDINATE: 437292.43,
      Y_COORDINATE: 115541.95,
      STATUS: 'APPROVED',
      LOGICAL_STATUS_CODE: '1',
      CLASSIFICATION_CODE: 'CO01GV',
      CLASSIFICATION_CODE_DESCRIPTION: 'Central Government Service',
      LOCAL_CUSTODIAN_CODE: 1760,
      LOCAL_CUSTODIAN_CODE_DESCRIPTION: 'TEST VALLEY',
      COUNTRY_CODE: 'E',
      COUNTRY_CODE_DESCRIPTION: 'This record is within England',
      POSTAL_ADDRESS_CODE: 'D',
      POSTAL_ADDRESS_CODE_DESCRIPTION: 'A record which is linked to PAF',
      BLPU_STATE_CODE: '2',
      BLPU_STATE_CODE_DESCRIPTION: 'In use',
      TOPOGRAPHY_LAYER_TOID: 'osgb1000002682081995',
      LAST_UPDATE_DATE: '31/03/2020',
      ENTRY_DATE: '01/09/2010',
      BLPU_STATE_DATE: '01/09/2010',
      LANGUAGE: 'EN',
      MATCH: 1.0,
      MATCH_DESCRIPTION: 'EXACT',
      DELIVERY_POINT_SUFFIX: '1A',
      ...change,
    },
  }
}

function places(results: unknown[] | undefined, header: Record<string, unknown> = {}): Script {
  const complete = {
    uri: 'https://api.os.uk/search/places/v1/postcode?postcode=SO16%200AS&dataset=DPA',
    query: 'postcode=SO16 0AS',
    offset: 0,
    totalresults: results?.length ?? 0,
    format: 'JSON',
    dataset: 'DPA',
    lr: 'EN',
    maxresults: 100,
    epoch: '119',
    lastupdate: '2025-07-30',
    output_srs: 'EPSG:27700',
    ...header,
  }
  return json(JSON.stringify(results === undefined ? { header: complete } : { header: complete, results }))
}

const fixture = await supplierFixture('os-places', (upstream) => createOsPlaces(upstream, key), places([delivery()]))

test('a lookup sends the documented request, with the key in a header only', async () => {
  await fixture.supplier().listProperties('SO16 0AS')
  const [asked] = fixture.asked()
  assert.equal(asked?.pathname, '/search/places/v1/postcode')
  assert.deepEqual(Object.fromEntries(asked?.searchParams ?? []), {
    postcode: 'SO16 0AS',
    dataset: 'DPA',
    lr: 'EN',
    maxresults: '100',
    offset: '0',
  })
  assert.equal(fixture.requests[0]?.headers.key, key)
})

test('mapping an address keeps its lines, town, nation and UPRN, and sets no county', async () => {
  assert.deepEqual(await fixture.supplier().listProperties('SO16 0AS'), [
    {
      addressLine1: 'ORDNANCE SURVEY, 4 ADANAC DRIVE',
      addressLine2: 'NURSLING',
      city: 'SOUTHAMPTON',
      county: '',
      country: 'England',
      postcode: 'SO16 0AS',
      uprn: '200010019924',
    },
  ])
})

test('mapping keeps only addresses in Great Britain, each with its nation', async () => {
  const codes = ['E', 'W', 'S', 'N', 'L', 'M', 'J', undefined]
  fixture.respondWith(places(codes.map((code, index) => delivery({ UPRN: String(index + 1), COUNTRY_CODE: code }))))
  assert.deepEqual(
    (await fixture.supplier().listProperties('SO16 0AS')).map(({ uprn, country }) => [uprn, country]),
    [
      ['1', 'England'],
      ['2', 'Wales'],
      ['3', 'Scotland'],
    ],
  )
})

test('mapping leaves out a post office box', async () => {
  fixture.respondWith(places([delivery({ PO_BOX_NUMBER: '12' })]))
  assert.deepEqual(await fixture.supplier().listProperties('SO16 0AS'), [])
})

/**
 * Returns the part of a list of `total` addresses that the request asks for; the pages end after the first `cut`
 * addresses.
 */
function paged(total: number, cut = total): Script {
  return (request, response) => {
    const asked = new URL(request.url ?? '', 'http://x').searchParams
    const offset = Number(asked.get('offset'))
    const length = Math.max(0, Math.min(Number(asked.get('maxresults')), cut - offset))
    const results = Array.from({ length }, (_, index) => delivery({ UPRN: String(1 + offset + index) }))
    places(length === 0 ? undefined : results, { offset, totalresults: total })(request, response)
  }
}

test('a lookup returns all 201 addresses of a postcode, from three pages', async () => {
  fixture.respondWith(paged(201))
  const properties = await fixture.supplier().listProperties('SO16 0AS')
  assert.equal(new Set(properties.map(({ uprn }) => uprn)).size, 201)
  assert.deepEqual(
    fixture.asked().map(({ searchParams }) => searchParams.get('offset')),
    ['0', '100', '200'],
  )
})

test('a lookup fails instead of returning part of a list if the list is shorter than its stated total', async () => {
  fixture.respondWith(paged(201, 150))
  assert.equal((await failureOf(fixture.supplier().listProperties('SO16 0AS'))).kind, 'wrong-shape')
})

test('a lookup fails, without returning the first page, if the second page fails', async () => {
  fixture.respondWith((request, response) => {
    if (request.url?.includes('offset=0')) paged(201)(request, response)
    else json('{}', 500)(request, response)
  })
  assert.equal((await failureOf(fixture.supplier().listProperties('SO16 0AS'))).statusCode, 500)
})

test('looking up a postcode without addresses, or one unknown to the API, returns no properties', async () => {
  fixture.respondWith(places(undefined))
  assert.deepEqual(await fixture.supplier().listProperties('SO16 0AS'), [])
  const message =
    'Requested postcode must contain a minimum of the sector plus 1 digit of the district e.g. SO1. Requested postcode was SO160AS'
  fixture.respondWith(json(JSON.stringify({ error: { statuscode: 400, message } }), 400))
  assert.deepEqual(await fixture.supplier().listProperties('SO16 0AS'), [])
})

const fault = (faultstring: string, errorcode: string) =>
  JSON.stringify({ fault: { faultstring, detail: { errorcode } } })

for (const [status, body, reason] of [
  [
    401,
    fault(`Invalid ApiKey ${key}`, 'oauth.v2.InvalidApiKey'),
    /^os-places: rejected ADDRESS_SOURCE_KEY: the key is unknown \(status 401\)$/,
  ],
  [
    403,
    fault('Forbidden', 'oauth.v2.InvalidApiKeyForGivenResource'),
    /not enabled for the project that the key in ADDRESS_SOURCE_KEY belongs to/,
  ],
  [404, fault('Not found', 'messaging.adaptors.http.flow.ApplicationNotFound'), /returned status 404/],
  [400, JSON.stringify({ error: { statuscode: 400, message: 'Parameter lr is wrong.' } }), /rejected the lookup/],
] as const) {
  test(`status ${status} makes the lookup fail without a retry, with an error that tells the operator why`, async () => {
    fixture.respondWith(json(body, status))
    const failure = await expectLookupFailure(fixture, key, 'SO16 0AS')
    assert.equal(failure.kind, 'status')
    assert.equal(failure.statusCode, status)
    assert.match(failure.message, reason)
    assert.equal(fixture.requests.length, 1)
  })
}

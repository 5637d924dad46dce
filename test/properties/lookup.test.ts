import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { connectPartner } from '../support/client.ts'
import { testTime } from '../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const partner = await connectPartner(service.baseUrl, service.credentials)
const lookup = (postcode: string) => partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)

describe('a postcode with properties', () => {
  test('returns every field of each property, and a different addressUid for each one', async () => {
    const properties = succeeded(await lookup('NR4 7TJ'))
    assert.equal(properties.length, 15)
    for (const property of properties) {
      assert.deepEqual(Object.keys(property).sort(), [
        'addressLine1',
        'addressLine2',
        'addressUid',
        'city',
        'country',
        'county',
        'mpan',
        'mprn',
        'postCode',
        'uprn',
      ])
      assert.equal(property.postCode, 'NR4 7TJ')
      assert.match(property.mpan ?? '', /^\d{13}$/)
      assert.match(property.mprn ?? '', /^\d{6,10}$/)
      assert.match(property.uprn, /^\d{1,12}$/)
      assert.match(property.addressUid, /^address_[0-9a-z]{26}$/)
    }
    assert.equal(new Set(properties.map(({ addressUid }) => addressUid)).size, 15)
  })

  test('the same properties are returned for any spacing and letter case', async () => {
    const { text } = await lookup('NR4 7TJ')
    for (const written of ['NR47TJ', 'nr4 7tj', 'nr47tj', '  NR4  7TJ ', 'n R 4 7 t J', 'NR4\u00a07TJ']) {
      assert.equal((await lookup(written)).text, text, written)
    }
  })

  test('addressLine1 of a special-case property names the case; a missing meter is null', async () => {
    const properties: { addressLine1: string; mpan: string | null; mprn: string | null; country: string }[] = succeeded(
      await lookup('TE5 7AA'),
    )
    const says = (words: string) => {
      const found = properties.filter(({ addressLine1 }) => addressLine1.toLowerCase().includes(words))
      assert.equal(found.length, 1, words)
      return found[0]
    }
    assert.equal(properties.length, 14)
    assert.equal(says('no gas')?.mprn, null)
    assert.match(says('no gas')?.mpan ?? '', /^15/)
    assert.equal(says('no electricity')?.mpan, null)
    assert.deepEqual([says('no meters')?.mpan, says('no meters')?.mprn], [null, null])
    assert.ok(Number(says('idno meter')?.mpan?.slice(0, 2)) >= 24)
    assert.deepEqual([says('scotland')?.country, says('scotland')?.mpan?.slice(0, 2)], ['Scotland', '18'])
    for (const words of [
      'home-telecom provider down',
      'broadband database down',
      'both down',
      'slow upstreams',
      'no broadband',
    ]) {
      assert.match(says(words)?.mpan ?? '', /^15/)
    }
  })
})

test('a postcode that has no properties, is not served or is malformed returns an empty list', async () => {
  const unusable = [
    'NR4 7TK',
    'ZZ99 9ZZ',
    'BT7 1NN',
    'JE2 3AB',
    'GY1 1AA',
    'IM1 1AA',
    'BF1 2AT',
    'GIR 0AA',
    'BX1 1LT',
    'ASCN 1ZZ',
    'SW1A',
    'nonsense',
    '',
    ' ',
    "' or 1=1 --",
    '\u0000',
    'Ⅳ🏠',
    'N'.repeat(5_000),
  ]
  for (const postcode of unusable) {
    const response = await lookup(postcode)
    assert.equal(response.status, 200, postcode)
    assert.equal(response.text, '[]', postcode)
  }
})

test('a lookup of only the district of a postcode warns that the whole is needed', async () => {
  const district = await partner.get('/Addresses/lookup?postcode=LS2')
  assert.deepEqual([district.status, district.body], [200, []])
  assert.match(district.headers.get('housebill-warning') ?? '', /^This is only the district of a postcode/)
  assert.equal((await partner.get('/Addresses/lookup?postcode=NR4+7TJ')).headers.get('housebill-warning'), null)
})

test('a lookup by UPRN returns the property that has it, and nothing if it is unknown or elsewhere', async () => {
  const [property] = succeeded(await lookup('NR4 7TJ'))
  const byUprn = async (query: string) => succeeded(await partner.get(`/Addresses/lookup?${query}`))
  assert.deepEqual(await byUprn(`uprn=${property?.uprn}`), [property])
  assert.deepEqual(await byUprn(`uprn=${property?.uprn}&postcode=nr47tj`), [property])
  assert.deepEqual(await byUprn(`uprn=${property?.uprn}&postcode=LS2+9JT`), [])
  assert.deepEqual(await byUprn('uprn=1'), [])
})

test('addresses as people write them are matched without their meters and UPRN', async () => {
  const [property] = succeeded(await lookup('NR4 7TJ'))
  assert.ok(property)
  const lines = [`${property.addressLine1} nr47tj`, { address: property.addressLine1, postcode: 'NR4 7' }, 'somewhere']
  const { matches } = succeeded(await partner.post('/Addresses/match', { lines }))
  const { mpan, mprn, uprn, ...shown } = property
  assert.deepEqual(matches[0], {
    outcome: 'sure',
    reason: null,
    candidates: [{ ...shown, score: 1, differences: [] }],
  })
  const [choose] = matches[1]?.candidates ?? []
  assert.equal(choose?.addressUid, property.addressUid)
  assert.deepEqual(choose?.differences, ['postcode_incomplete'])
  assert.deepEqual(matches[2], { outcome: 'none', reason: 'postcode_missing', candidates: [] })
})

test('a match returns an error that names the line if it is empty, no text or has unknown fields', async () => {
  const match = (lines: unknown) => partner.post('/Addresses/match', { lines })
  assertProblem(await match([]), 'validation_failed', ['/lines'])
  assertProblem(await match(['a', 7]), 'invalid_request', ['/lines/1 wrong_type'])
  assertProblem(await match([{ adress: 'a' }]), 'invalid_request', [
    '/lines/0/address required',
    '/lines/0/adress unknown_field',
  ])
  assertProblem(await match(Array.from({ length: 101 }, () => 'a')), 'validation_failed', ['/lines'])
})

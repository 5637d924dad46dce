import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/platform/db/sql.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { UpstreamFailure } from '../../src/platform/kernel/upstream-failure.ts'
import { lookupAddresses } from '../../src/properties/lookup-addresses.ts'
import { seedSamples } from '../../src/sandbox/samples/sample-properties.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { waitFor } from '../support/wait-for.ts'
import { createCachedAddresses, postcode, suppliedProperty, supplierDown } from './cached-addresses-fixture.ts'

const maxWaitMs = 60_007
const patience = holdTimeouts((ms) => ms === maxWaitMs)
const { database, addresses, supply, asked, logged, passDays, another } = await createCachedAddresses(maxWaitMs)
const lookup = (source = addresses) => lookupAddresses({ addresses: source }, { postcode: 'so160as' })
const uidsOf = async (source = addresses) =>
  Object.fromEntries((await lookup(source)).map(({ uprn, addressUid }) => [uprn, addressUid]))

async function rejectionOf(work: Promise<unknown>): Promise<DomainError> {
  const error = await work.catch((reason: unknown) => reason)
  assert.ok(error instanceof DomainError, String(error))
  return error
}

test('the first lookup of a postcode returns its properties in order, each with an addressUid and no meters', async () => {
  supply([
    suppliedProperty('10'),
    suppliedProperty('9'),
    suppliedProperty('8', { country: 'Scotland', county: 'Fife' }),
  ])
  const properties = await lookup()
  assert.deepEqual(
    properties.map(({ uprn }) => uprn),
    ['8', '9', '10'],
  )
  const { addressUid, ...first } = properties[0] ?? assert.fail('no property')
  assert.match(addressUid, /^address_[0-9a-z]{26}$/)
  const nothingMore = { mpan: null, mprn: null, meter: null, source: 'os-places', specialCase: null }
  assert.deepEqual(first, { ...suppliedProperty('8', { country: 'Scotland', county: 'Fife' }), ...nothingMore })
  assert.deepEqual(await addresses.findByUid(addressUid), properties[0])
})

test('a second lookup of a postcode within 30 days, even by another process, sends no request to the supplier', async () => {
  supply([suppliedProperty('1')])
  const uids = await uidsOf()
  passDays(29.9)
  supply(supplierDown)
  assert.deepEqual(await uidsOf(), uids)
  assert.deepEqual(await uidsOf(another()), uids)
  assert.deepEqual(asked, [postcode])
  assert.deepEqual(logged, [])
})

test('a lookup after 30 days returns the current properties, with unchanged addressUids', async () => {
  supply([suppliedProperty('1'), suppliedProperty('2')])
  const before = await uidsOf()
  passDays(30)
  supply([suppliedProperty('1', { addressLine1: '1a Adanac Drive' }), suppliedProperty('3')])
  const after = await lookup()
  assert.deepEqual(
    after.map(({ uprn, addressLine1 }) => [uprn, addressLine1]),
    [
      ['1', '1a Adanac Drive'],
      ['3', '3 Adanac Drive'],
    ],
  )
  assert.equal(after[0]?.addressUid, before['1'])
  const dropped = await addresses.findByUid(before['2'] ?? '')
  assert.equal(dropped?.addressLine1, '2 Adanac Drive')
  assert.equal(asked.length, 2)
})

test('a dropped property keeps its first addressUid if the supplier lists it again', async () => {
  supply([suppliedProperty('1')])
  const before = await uidsOf()
  passDays(31)
  supply([])
  assert.deepEqual(await lookup(), [])
  passDays(1)
  supply([suppliedProperty('1')])
  assert.deepEqual(await uidsOf(), before)
})

test('a property that moved to another postcode is found only there and keeps its addressUid', async () => {
  supply([suppliedProperty('1')])
  const before = await uidsOf()
  supply([suppliedProperty('1', { postcode: 'SO16 0AX' })])
  const [moved] = await addresses.findByPostcode('SO16 0AX')
  assert.equal(moved?.addressUid, before['1'])
  assert.deepEqual(await lookup(), [])
})

test('a postcode without properties is requested again after a day, not before', async () => {
  supply([])
  assert.deepEqual(await lookup(), [])
  passDays(0.9)
  await lookup()
  assert.equal(asked.length, 1)
  passDays(0.2)
  supply([suppliedProperty('1')])
  assert.equal((await lookup()).length, 1)
  assert.equal(asked.length, 2)
})

test('while the supplier is down, a stored list of any age is used, and this is logged without the postcode', async () => {
  supply([suppliedProperty('1')])
  const uids = await uidsOf()
  passDays(400)
  supply(supplierDown)
  assert.deepEqual(await uidsOf(), uids)
  assert.equal(logged.length, 1)
  assert.match(logged[0]?.message ?? '', /expired cached response/)
  assert.match(JSON.stringify(logged), /ECONNREFUSED/)
  assert.doesNotMatch(JSON.stringify(logged), /SO16/)
  assert.equal((await addresses.findByUid(uids['1'] ?? ''))?.uprn, '1')
  supply([suppliedProperty('2')])
  assert.deepEqual(Object.keys(await uidsOf()), ['2'])
})

test('while the supplier is down, a stored list is used even if it is empty', async () => {
  supply([])
  await lookup()
  passDays(3)
  supply(supplierDown)
  assert.deepEqual(await lookup(), [])
})

test('while the supplier is down, a new postcode returns service_unavailable with Retry-After and stores nothing', async () => {
  supply(supplierDown)
  const rejection = await rejectionOf(lookup())
  assert.equal(rejection.code, 'service_unavailable')
  assert.equal(rejection.retryAfterSeconds, 5)
  assert.doesNotMatch(rejection.message, /os-places|ECONN|SO16/)
  assert.equal(rejection.cause, supplierDown)
  supply([suppliedProperty('1')])
  assert.equal((await lookup()).length, 1)
})

test('Retry-After is the time that the supplier gave, otherwise a default, which is longer if only the operator can fix the error', async () => {
  const failure = (statusCode: number, retryAfterSeconds?: number) =>
    new UpstreamFailure('os-places', 'status', 'says no', { statusCode, retryAfterSeconds })
  for (const [answer, seconds] of [
    [failure(401), 60],
    [failure(402), 60],
    [failure(429), 5],
    [failure(503), 5],
    [failure(429, 17), 17],
  ] as const) {
    supply(answer)
    assert.equal((await rejectionOf(lookup())).retryAfterSeconds, seconds)
  }
})

test('if the supplier hangs, a stored list is used after a moment, and the new list is stored when it arrives', async () => {
  supply([suppliedProperty('1')])
  await lookup()
  passDays(31)
  const late = Promise.withResolvers<ReturnType<typeof suppliedProperty>[]>()
  supply(late.promise)
  const kept = await patience.passUntil(maxWaitMs, lookup())
  assert.deepEqual(
    kept.map(({ uprn }) => uprn),
    ['1'],
  )
  assert.match(JSON.stringify(logged), /no response within 60007 ms/)
  late.resolve([suppliedProperty('2')])
  await addresses.settled()
  supply(supplierDown)
  assert.deepEqual(
    (await lookup()).map(({ uprn }) => uprn),
    ['2'],
  )
})

test('if the supplier hangs and then fails, a stored list is used and is not replaced', async () => {
  supply([suppliedProperty('1')])
  await lookup()
  passDays(31)
  const late = Promise.withResolvers<ReturnType<typeof suppliedProperty>[]>()
  supply(late.promise)
  await patience.passUntil(maxWaitMs, lookup())
  late.reject(supplierDown)
  await addresses.settled()
  assert.equal(logged.length, 1)
})

test('20 concurrent lookups of a postcode send one request to the supplier and return the same properties', async () => {
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof suppliedProperty>[]>()
  supply(promise)
  const lookups = Promise.all(Array.from({ length: 20 }, () => lookup()))
  await waitFor('the supplier receives the request', () => asked.length > 0)
  resolve([suppliedProperty('1'), suppliedProperty('2')])
  const responses = await lookups
  for (const answer of responses) assert.deepEqual(answer, responses[0])
  assert.equal(responses[0]?.length, 2)
  assert.deepEqual(asked, [postcode])
})

test('two processes that look up a postcode at the same time get the same addressUids', async () => {
  supply(Array.from({ length: 50 }, (_, index) => suppliedProperty(String(index + 1))))
  const [one, other] = await Promise.all([uidsOf(addresses), uidsOf(another())])
  assert.equal(Object.keys(one).length, 50)
  assert.deepEqual(one, other)
})

test('requesting an addressUid after 30 days returns the current property', async () => {
  supply([suppliedProperty('1')])
  const { '1': uid = '' } = await uidsOf()
  passDays(31)
  supply([suppliedProperty('1', { city: 'Winchester' })])
  assert.equal((await addresses.findByUid(uid))?.city, 'Winchester')
  await addresses.findByUid(uid)
  assert.equal(asked.length, 2)
})

test('an unknown or malformed addressUid returns null without a request to the supplier', async () => {
  for (const uid of [
    '',
    '\u0000',
    '\ud800',
    'quote_01kdvdna00f3t9e57dd9ybc529',
    'address_01kdvdna00f3t9e57dd9ybc52a',
  ]) {
    assert.equal(await addresses.findByUid(uid), null)
  }
  assert.deepEqual(asked, [])
})

test('a postcode that is not served is not requested from the supplier', async () => {
  assert.deepEqual(await lookupAddresses({ addresses }, { postcode: 'JE2 3AB' }), [])
  assert.deepEqual(asked, [])
})

test('when a different supplier is configured, properties are requested again and keep their addressUids', async () => {
  supply([suppliedProperty('1')])
  const uids = await uidsOf()
  supply([suppliedProperty('1', { addressLine1: 'Flat 1' })])
  const [seen] = await lookup(another('ideal-postcodes'))
  assert.deepEqual([seen?.addressUid, seen?.addressLine1, seen?.source], [uids['1'], 'Flat 1', 'ideal-postcodes'])
  assert.equal(asked.length, 2)
})

test('a lookup leaves the addressUid and the meters of an imported property unchanged', async () => {
  await database.query(sql`
    insert into properties (address_uid, postcode, address_line1, city, country, uprn, mpan, mprn, source)
    values ('address_01kdvdna00f3t9e57dd9ybc52a', ${postcode}, 'Old', 'Old', 'England', '7', '1012345678903', null,
            'import')`)
  supply([suppliedProperty('7')])
  const [found] = await lookup()
  assert.equal(found?.addressUid, 'address_01kdvdna00f3t9e57dd9ybc52a')
  assert.deepEqual([found?.mpan, found?.mprn, found?.addressLine1], ['1012345678903', null, '7 Adanac Drive'])
})

test('a lookup replaces the sample properties of an earlier configuration with those that the supplier lists', async () => {
  await seedSamples(database)
  supply([])
  assert.deepEqual(await addresses.findByPostcode('TE5 7AA'), [])
  assert.equal(addresses.hasSamples, false)
})

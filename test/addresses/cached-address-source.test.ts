import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '../../src/db/sql.ts'
import { lookupAddresses } from '../../src/domain/addresses/lookup-addresses.ts'
import { seedSamples } from '../../src/domain/addresses/samples/seed-samples.ts'
import { DomainError } from '../../src/kernel/errors.ts'
import { UpstreamFailure } from '../../src/kernel/upstream-failure.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { waitFor } from '../support/wait-for.ts'
import { cachedAddresses, down, home, postcode } from './cached-addresses-fixture.ts'

const maxWaitMs = 60_007
const patience = holdTimeouts((ms) => ms === maxWaitMs)
const { database, addresses, supply, asked, logged, passDays, another } = await cachedAddresses(maxWaitMs)
const lookup = (source = addresses) => lookupAddresses({ addresses: source }, 'so160as')
const uidsOf = async (source = addresses) =>
  Object.fromEntries((await lookup(source)).map(({ uprn, addressUid }) => [uprn, addressUid]))

async function refusalOf(work: Promise<unknown>): Promise<DomainError> {
  const error = await work.catch((reason: unknown) => reason)
  assert.ok(error instanceof DomainError, String(error))
  return error
}

test('a postcode nobody asked for: looked up: its homes, in order, each with an addressUid and no meters', async () => {
  supply([home('10'), home('9'), home('8', { country: 'Scotland', county: 'Fife' })])
  const homes = await lookup()
  assert.deepEqual(
    homes.map(({ uprn }) => uprn),
    ['8', '9', '10'],
  )
  const { addressUid, ...first } = homes[0] ?? assert.fail('no home')
  assert.match(addressUid, /^address_[0-9a-z]{26}$/)
  const nothingMore = { mpan: null, mprn: null, source: 'os-places', specialCase: null }
  assert.deepEqual(first, { ...home('8', { country: 'Scotland', county: 'Fife' }), ...nothingMore })
  assert.deepEqual(await addresses.findByUid(addressUid), homes[0])
})

test('a postcode: looked up again within thirty days, by another process too: the supplier is not asked', async () => {
  supply([home('1')])
  const uids = await uidsOf()
  passDays(29.9)
  supply(down)
  assert.deepEqual(await uidsOf(), uids)
  assert.deepEqual(await uidsOf(another()), uids)
  assert.deepEqual(asked, [postcode])
  assert.deepEqual(logged, [])
})

test('homes that were renamed, added, dropped: looked up after thirty days: as they are now, addressUids kept', async () => {
  supply([home('1'), home('2')])
  const before = await uidsOf()
  passDays(30)
  supply([home('1', { addressLine1: '1a Adanac Drive' }), home('3')])
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

test('a home that was dropped and comes back: looked up: under its first addressUid', async () => {
  supply([home('1')])
  const before = await uidsOf()
  passDays(31)
  supply([])
  assert.deepEqual(await lookup(), [])
  passDays(1)
  supply([home('1')])
  assert.deepEqual(await uidsOf(), before)
})

test('a home that moved to another postcode: looked up there: found there only, addressUid kept', async () => {
  supply([home('1')])
  const before = await uidsOf()
  supply([home('1', { postcode: 'SO16 0AX' })])
  const [moved] = await addresses.findByPostcode('SO16 0AX')
  assert.equal(moved?.addressUid, before['1'])
  assert.deepEqual(await lookup(), [])
})

test('a postcode without homes: looked up: asked for again after a day, not before', async () => {
  supply([])
  assert.deepEqual(await lookup(), [])
  passDays(0.9)
  await lookup()
  assert.equal(asked.length, 1)
  passDays(0.2)
  supply([home('1')])
  assert.equal((await lookup()).length, 1)
  assert.equal(asked.length, 2)
})

test('the supplier down: an old answer: used, however old, and the log says so without the postcode', async () => {
  supply([home('1')])
  const uids = await uidsOf()
  passDays(400)
  supply(down)
  assert.deepEqual(await uidsOf(), uids)
  assert.equal(logged.length, 1)
  assert.match(logged[0]?.message ?? '', /expired cached response/)
  assert.match(JSON.stringify(logged), /ECONNREFUSED/)
  assert.doesNotMatch(JSON.stringify(logged), /SO16/)
  assert.equal((await addresses.findByUid(uids['1'] ?? ''))?.uprn, '1')
  supply([home('2')])
  assert.deepEqual(Object.keys(await uidsOf()), ['2'])
})

test('the supplier down: an old "no homes": used too', async () => {
  supply([])
  await lookup()
  passDays(3)
  supply(down)
  assert.deepEqual(await lookup(), [])
})

test('the supplier down: a postcode nobody asked for: service_unavailable with Retry-After, nothing kept', async () => {
  supply(down)
  const refusal = await refusalOf(lookup())
  assert.equal(refusal.code, 'service_unavailable')
  assert.equal(refusal.retryAfterSeconds, 5)
  assert.doesNotMatch(refusal.message, /os-places|ECONN|SO16/)
  assert.equal(refusal.cause, down)
  supply([home('1')])
  assert.equal((await lookup()).length, 1)
})

test('a refusal only the operator can end, or a time the supplier names: told in Retry-After', async () => {
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
    assert.equal((await refusalOf(lookup())).retryAfterSeconds, seconds)
  }
})

test('a supplier that hangs: an old answer: used after a moment; the new one is stored when it comes', async () => {
  supply([home('1')])
  await lookup()
  passDays(31)
  const late = Promise.withResolvers<ReturnType<typeof home>[]>()
  supply(late.promise)
  const kept = await patience.passUntil(maxWaitMs, lookup())
  assert.deepEqual(
    kept.map(({ uprn }) => uprn),
    ['1'],
  )
  assert.match(JSON.stringify(logged), /no response within 60007 ms/)
  late.resolve([home('2')])
  await addresses.settled()
  supply(down)
  assert.deepEqual(
    (await lookup()).map(({ uprn }) => uprn),
    ['2'],
  )
})

test('a supplier that hangs and then fails: an old answer: used, nothing else happens', async () => {
  supply([home('1')])
  await lookup()
  passDays(31)
  const late = Promise.withResolvers<ReturnType<typeof home>[]>()
  supply(late.promise)
  await patience.passUntil(maxWaitMs, lookup())
  late.reject(down)
  await addresses.settled()
  assert.equal(logged.length, 1)
})

test('twenty lookups of one postcode at once: the supplier is asked once, all get the same homes', async () => {
  const { promise, resolve } = Promise.withResolvers<ReturnType<typeof home>[]>()
  supply(promise)
  const lookups = Promise.all(Array.from({ length: 20 }, () => lookup()))
  await waitFor('the supplier is asked', () => asked.length > 0)
  resolve([home('1'), home('2')])
  const answers = await lookups
  for (const answer of answers) assert.deepEqual(answer, answers[0])
  assert.equal(answers[0]?.length, 2)
  assert.deepEqual(asked, [postcode])
})

test('two processes that ask at once: the same addressUids', async () => {
  supply(Array.from({ length: 50 }, (_, place) => home(String(place + 1))))
  const [one, other] = await Promise.all([uidsOf(addresses), uidsOf(another())])
  assert.equal(Object.keys(one).length, 50)
  assert.deepEqual(one, other)
})

test('an addressUid after thirty days: asked for: the home as it is now', async () => {
  supply([home('1')])
  const { '1': uid = '' } = await uidsOf()
  passDays(31)
  supply([home('1', { city: 'Winchester' })])
  assert.equal((await addresses.findByUid(uid))?.city, 'Winchester')
  await addresses.findByUid(uid)
  assert.equal(asked.length, 2)
})

test('text that is no addressUid, or nobody’s: asked for: null, without asking the supplier', async () => {
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

test('another supplier later: the same homes: asked for anew, under their addressUids', async () => {
  supply([home('1')])
  const uids = await uidsOf()
  supply([home('1', { addressLine1: 'Flat 1' })])
  const [seen] = await lookup(another('ideal-postcodes'))
  assert.deepEqual([seen?.addressUid, seen?.addressLine1, seen?.source], [uids['1'], 'Flat 1', 'ideal-postcodes'])
  assert.equal(asked.length, 2)
})

test('a home imported before, with meters: looked up: its addressUid and meters stay', async () => {
  await database.query(sql`
    insert into properties (address_uid, postcode, address_line1, city, country, uprn, mpan, mprn, source)
    values ('address_01kdvdna00f3t9e57dd9ybc52a', ${postcode}, 'Old', 'Old', 'England', '7', '1012345678903', null, 'import')`)
  supply([home('7')])
  const [found] = await lookup()
  assert.equal(found?.addressUid, 'address_01kdvdna00f3t9e57dd9ybc52a')
  assert.deepEqual([found?.mpan, found?.mprn, found?.addressLine1], ['1012345678903', null, '7 Adanac Drive'])
})

test('sample homes of an earlier setting: their postcode looked up: only what the supplier says', async () => {
  await seedSamples(database)
  supply([])
  assert.deepEqual(await addresses.findByPostcode('TE5 7AA'), [])
  assert.equal(addresses.hasSamples, false)
})

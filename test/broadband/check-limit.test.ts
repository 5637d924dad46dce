import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type ApiResponse, connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { connectNewPartner } from '../support/partners.ts'
import { rejected } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService({
  RATE_LIMIT_PER_SECOND: '1000',
  BROADBAND_CHECK_LIMIT_PER_MINUTE: '2',
  ADDRESS_MATCH_LIMIT_PER_DAY: '5',
})
after(() => service.stop())

const policies = (response: ApiResponse) => response.headers.get('ratelimit-policy')
const both = '"default";q=1000;w=1, "broadband-check";q=2;w=60'

test('checks have a separate limit; beyond it, a partner can still repeat the checks that it has made', async () => {
  const partner = await connectNewPartner(service)
  const homes = (await partner.get('/Addresses/lookup?postcode=LS2%209JT')).body as { addressUid: string }[]
  const [first, second, third] = homes.map(({ addressUid }) => addressUid)
  assert.ok(first && second && third)
  const check = (uid: string) => partner.get(`/Quotes/run-broadband-availability-check/${uid}`)

  const asked = [await check(first), await check(second)]
  assert.deepEqual(
    asked.map((response) => [response.status, policies(response)]),
    [
      [200, both],
      [200, both],
    ],
  )
  assert.match(asked[1]?.headers.get('ratelimit') ?? '', /^"default";r=\d+;t=1, "broadband-check";r=0;t=\d+$/)

  const tooMany = await check(third)
  const problem = rejected(tooMany, 429, 'rate_limited')
  assert.match(problem.detail, /^More than 2 requests in 60 s/)
  assert.ok(Number(tooMany.headers.get('retry-after')) > 30)
  assert.equal(policies(tooMany), both)

  const known = await check(first)
  assert.deepEqual([known.status, policies(known)], [200, '"default";q=1000;w=1'])
  const other = await connectNewPartner(service)
  assert.equal((await other.get(`/Quotes/run-broadband-availability-check/${third}`)).status, 200)
  rejected(await check(third), 429, 'rate_limited')
})

test('what other partners have checked does not show in the limit: neither in its headers nor in how long it lasts', async () => {
  const [watching, unaware, busy] = [
    await connectNewPartner(service),
    await connectNewPartner(service),
    await connectNewPartner(service),
  ]
  const homes = (await busy.get('/Addresses/lookup?postcode=LS2%209JT')).body as { addressUid: string }[]
  const [seen, unseen] = homes.slice(5).map(({ addressUid }) => addressUid)
  const check = (partner: typeof busy, uid = '') => partner.get(`/Quotes/run-broadband-availability-check/${uid}`)
  await check(busy, seen)
  const answers = [await check(watching, seen), await check(unaware, unseen)]
  const left = answers.map((response) => response.headers.get('ratelimit')?.replace(/t=\d+$/, ''))
  assert.equal(left[0], left[1])
  assert.deepEqual(answers.map(policies), [both, both])

  // The shared result expires before the partner's own day is over. Its repeated check asks the upstream again, and
  // does not count either.
  await rawRows(
    service,
    `update broadband_responses set responded_at = responded_at - interval '1 day' where address_uid = $1`,
    [seen],
  )
  const repeated = await check(watching, seen)
  assert.deepEqual([repeated.status, policies(repeated)], [200, '"default";q=1000;w=1'])
})

test('a check of an unknown property does not count towards the limit', async () => {
  const partner = await connectNewPartner(service)
  const response = await partner.get('/Quotes/run-broadband-availability-check/unknown')
  assert.equal(response.status, 404)
  assert.equal(policies(response), '"default";q=1000;w=1')
})

test('a limit of 300 a minute applies in windows of six seconds, so that no burst of a minute reaches the suppliers', async () => {
  const usual = await startTestService({ RATE_LIMIT_PER_SECOND: '100' })
  try {
    const partner = await connectPartner(usual.baseUrl, usual.credentials)
    const [home] = (await partner.get('/Addresses/lookup?postcode=LS2%209JT')).body as { addressUid: string }[]
    const response = await partner.get(`/Quotes/run-broadband-availability-check/${home?.addressUid ?? ''}`)
    assert.equal(policies(response), '"default";q=100;w=1, "broadband-check";q=30;w=6')
  } finally {
    await usual.stop()
  }
})

test('each line of a match counts as a request, and a partner has only so many lines a day', async () => {
  const partner = await connectNewPartner(service)
  const match = (lines: number) => partner.post('/Addresses/match', { lines: Array.from({ length: lines }, () => 'a') })
  const first = await match(4)
  assert.equal(first.status, 200)
  assert.match(first.headers.get('ratelimit') ?? '', /"default";r=99[0-6];/)
  const problem = rejected(await match(2), 429, 'rate_limited')
  assert.match(problem.detail, /^You can have 5 addresses matched a day/)
  const other = await connectNewPartner(service)
  assert.equal((await other.post('/Addresses/match', { lines: ['a'] })).status, 200)
})

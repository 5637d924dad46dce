import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { ApiResponse } from '../../support/client.ts'
import { connectNewPartner } from '../../support/partners.ts'
import { rejected } from '../../support/responses.ts'
import { startTestService } from '../../support/service.ts'

const service = await startTestService({ RATE_LIMIT_PER_SECOND: '1000', BROADBAND_CHECK_LIMIT_PER_MINUTE: '2' })
after(() => service.stop())

const policies = (response: ApiResponse) => response.headers.get('ratelimit-policy')
const both = '"default";q=1000;w=1, "broadband-check";q=2;w=60'

test('checks that call upstreams have a separate limit; beyond it, stored results are still returned', async () => {
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
  assert.equal((await check(third)).status, 200)
})

test('a check of an unknown property does not count towards the limit', async () => {
  const partner = await connectNewPartner(service)
  const response = await partner.get('/Quotes/run-broadband-availability-check/unknown')
  assert.equal(response.status, 404)
  assert.equal(policies(response), '"default";q=1000;w=1')
})

import assert from 'node:assert/strict'
import { after, mock, test } from 'node:test'
import fastify from 'fastify'
import { readOperator } from '../../src/app/reference-data.ts'
import { createLinkLimits } from '../../src/contracts/links/link-limits.ts'
import { DomainError } from '../../src/platform/kernel/errors.ts'
import { createMemoryCounters } from '../../src/platform/rate-limits/call-counter.ts'
import { connectPartner } from '../support/client.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { finalise, startHousehold } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

// The clock stands still, so a window ends only when the test moves the clock. The timers that delete old windows are
// held too.
mock.timers.enable({ apis: ['Date'], now: Date.now() })
after(() => mock.timers.reset())
holdTimeouts((ms) => ms === 1_000 || ms === 60_000)

const service = await startTestService({ RATE_LIMIT_PER_SECOND: '40' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const {
  tenants: [lead = ''],
} = await startHousehold(partner)
succeeded(await finalise(partner, lead))
const { previewUrl } = succeeded(await partner.get(`/Customers/${lead}/pci-preview-url-html`))

const nextSecond = () => mock.timers.setTime(Date.now() + 1_000)
const openTogether = (url: string, times: number, method = 'HEAD') =>
  Promise.all(Array.from({ length: times }, () => fetch(url, { method })))
const countOf = (responses: Response[], status: number) => responses.filter((each) => each.status === status).length
const badLink = `${service.baseUrl}/contracts/${lead}/pre-contract-information.html`

test('an address that sends more requests than the limit gets a page that says when to try again', async () => {
  nextSecond()
  const responses = await openTogether(badLink, 45, 'GET')
  assert.equal(countOf(responses, 403), 40)
  const [tooMany] = responses.filter(({ status }) => status === 429)
  assert.ok(tooMany)
  assert.equal(tooMany.headers.get('retry-after'), '1')
  assert.equal(tooMany.headers.get('content-type'), 'text/html; charset=utf-8')
  assert.equal(tooMany.headers.get('cache-control'), 'private, no-store')
  assert.match(await tooMany.text(), /Wait a minute, then open the link again/)
  nextSecond()
  assert.equal((await fetch(badLink)).status, 403)
})

test('one link opens 60 times a minute, whether its token is right or wrong; other links still open', async () => {
  for (const wrong of [`${badLink}?token=wrong`, `${badLink.replace('contracts', 'previews')}?token=guess`]) {
    let rejected = 0
    for (const times of [35, 35]) {
      nextSecond()
      rejected += countOf(await openTogether(wrong, times), 403)
    }
    assert.equal(rejected, 60)
    nextSecond()
    const again = await fetch(wrong)
    assert.equal(again.status, 429)
    assert.match(again.headers.get('ratelimit-policy') ?? '', /"document-link";q=60;w=60/)
  }
  assert.equal((await fetch(previewUrl, { method: 'HEAD' })).status, 200)
})

const operator = await readOperator(undefined)

test('when too many documents are waiting, the tenant gets a page with 503 and Retry-After; other errors are not hidden', async () => {
  const app = fastify()
  const limits = createLinkLimits(0, {
    counters: createMemoryCounters(),
    cipher: { hash: assert.fail },
    operator,
    realm: 'sandbox',
  })
  const failures: Record<string, Error> = {
    '/full': new DomainError('service_unavailable', 'Too many documents.', { retryAfterSeconds: 2 }),
    '/fault': new Error('a fault'),
  }
  for (const [path, error] of Object.entries(failures)) {
    app.get<{ Querystring: Record<string, unknown> }>(path, (request, reply) =>
      limits.limited(request, reply, () => Promise.reject(error)),
    )
  }
  const full = await app.inject('/full')
  assert.equal(full.statusCode, 503)
  assert.equal(full.headers['retry-after'], '2')
  assert.match(full.body, /<h1>Try again in a minute<.h1>/)
  assert.equal((await app.inject('/fault')).statusCode, 500)
})

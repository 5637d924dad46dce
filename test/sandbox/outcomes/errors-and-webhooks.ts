import assert from 'node:assert/strict'
import type { Partner } from '../../support/client.ts'
import { waitForDeliveries } from '../../support/deliveries.ts'
import { createQuote } from '../../support/quote-fixtures.ts'
import { assertProblem, succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'
import { waitFor } from '../../support/wait-for.ts'
import type { Outcomes, Rehearsal } from './outcome.ts'

const asking = (wanted: string) => ({ headers: { 'Housebill-Test-Error': wanted } })
const create = (partner: Partner, wanted?: string) =>
  partner.post(
    '/Quotes',
    { addressUid: ordinaryProperty().addressUid },
    {
      headers: { 'Idempotency-Key': 'one', ...(wanted === undefined ? {} : asking(wanted).headers) },
    },
  )

/** The requests that the query finds, once there is one. */
function listed(partner: Partner, query: string) {
  const list = async () => succeeded(await partner.get(`/Sandbox/requests?${query}` as '/Sandbox/requests')).data
  return waitFor('the request is listed', list, ({ length }) => length > 0)
}

/** A verified webhook with an event whose first attempt has failed. */
async function failingWebhook({ partner, receiver }: Rehearsal) {
  const webhook = { url: `https://localhost:${receiver.port}/hook`, events: ['quote.status.changed'] }
  const { webhookId } = succeeded(await partner.post('/Webhooks', webhook))
  const read = async () => succeeded(await partner.get(`/Webhooks/${webhookId}`))
  await waitFor('the webhook is verified', read, ({ verification }) => verification === 'verified')
  await createQuote(partner)
  const untilAttempted = async (count: number) => {
    const deliveries = await waitForDeliveries(partner, webhookId, (all) =>
      all.some(({ eventType, attemptCount }) => eventType !== 'webhook.verification' && attemptCount >= count),
    )
    return deliveries.find(({ eventType }) => eventType !== 'webhook.verification')
  }
  await untilAttempted(1)
  const advance = async (seconds: number) =>
    succeeded(await partner.post(`/Sandbox/webhooks/${webhookId}/advance`, { seconds }))
  return { read, untilAttempted, advance }
}

export const errorsAndWebhooks: Outcomes = {
  async '401: an expired token'({ partner }) {
    const expired = await partner.get('/Quotes', asking('unauthenticated'))
    assertProblem(expired, 'unauthenticated')
    assert.match(expired.headers.get('www-authenticate') ?? '', /it has expired/)
  },
  async '403: a missing scope'({ partner }) {
    assertProblem(await partner.get('/Quotes', asking('insufficient_scope')), 'insufficient_scope')
  },
  async '409: a request that is still in progress'({ partner }) {
    assertProblem(await create(partner, 'idempotency_in_flight'), 'idempotency_in_flight')
    succeeded(await create(partner))
  },
  async '429: too many requests'({ partner }) {
    assertProblem(await partner.get('/Quotes', asking('rate_limited')), 'rate_limited')
    succeeded(await partner.get('/Quotes'))
  },
  async '500: an unexpected error'({ partner }) {
    assertProblem(await partner.get('/Quotes', asking('internal_error')), 'internal_error')
  },
  async '503: something is down'({ partner }) {
    assert.equal((await partner.get('/Quotes', asking('service_unavailable'))).headers.get('retry-after'), '2')
  },
  async 'any other error of an operation'({ partner }) {
    assertProblem(await create(partner, 'quoting_tool_version_not_found'), 'quoting_tool_version_not_found')
  },
  async 'a request that took effect, but whose response was lost'({ partner }) {
    assertProblem(await create(partner, 'internal_error; when=after'), 'internal_error')
    const { quoteId } = succeeded(await create(partner))
    assert.deepEqual(
      succeeded(await partner.get('/Quotes')).data.map((quote) => quote.quoteId),
      [quoteId],
    )
  },
  async 'a slow response'({ partner }) {
    await partner.get('/Quotes', asking('service_unavailable; delay=300'))
    const [slow] = await listed(partner, 'operation=listQuotes')
    assert.ok(slow !== undefined && slow.durationMs >= 299)
  },
  async 'a failed request, found again'({ partner }) {
    const { headers } = asking('internal_error')
    await partner.get('/Quotes', { headers: { ...headers, 'X-Request-Id': 'it-failed' } })
    const [found] = await listed(partner, 'status=500')
    assert.deepEqual([found?.requestId, found?.operation, found?.code], ['it-failed', 'listQuotes', 'internal_error'])
  },
  async 'a webhook message that is retried until it fails'(rehearsal) {
    const { untilAttempted, advance } = await failingWebhook(rehearsal)
    const { retrySeconds } = rehearsal.service.config.webhooks
    assert.ok(retrySeconds.length > 5)
    for (const [index, pause] of retrySeconds.entries()) {
      // A pause may be a fifth longer than the schedule says.
      await advance(Math.ceil(pause * 1.25) + 1)
      const delivery = await untilAttempted(index + 2)
      assert.equal(delivery?.status, index + 1 < retrySeconds.length ? 'pending' : 'failed')
    }
    assert.equal(rehearsal.receiver.events().length, retrySeconds.length + 1)
  },
  async 'a webhook that is disabled after five days of failures'(rehearsal) {
    const { read, advance } = await failingWebhook(rehearsal)
    assert.equal((await read()).status, 'active')
    await advance(432_000)
    const { disabledReason } = await waitFor('the webhook is disabled', read, ({ status }) => status === 'disabled')
    assert.equal(disabledReason, 'Every delivery failed for five days.')
  },
}

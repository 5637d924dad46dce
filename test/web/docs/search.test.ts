import assert from 'node:assert/strict'
import { test } from 'node:test'
import MiniSearch from 'minisearch'
import { otherWords } from '../../../src/web/docs/search-options.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()

/** What readers search for, and a place that must be among the first three below /docs. */
const queries = {
  'card declined': '/guides/sandbox#test-cards',
  '3-D Secure': '/guides/sandbox#test-cards',
  'move in date': '/guides/api-behaviour#contract-dates',
  'webhook signature': '/guides/webhooks#verifying-the-signature',
  'rotate secret': '/reference#tag/webhooks/rotateWebhookSecret',
  'change secret': '/guides/authentication#changing-a-secret',
  'rate limit': '/errors/rate_limited',
  'token expired': '/guides/authentication#token-calls',
  'idempotency key': '/guides/idempotency#choosing-a-key',
  'retry after': '/guides/errors-and-retries#how-long-to-wait',
  'quote expired': '/errors/quote_expired',
  'test cards': '/guides/sandbox#test-cards',
  'create a quote': '/reference#tag/quotes/createQuote',
  'first quote': '/guides/quickstart#the-first-quote',
  'add tenants': '/reference#tag/quotes/addTenants',
  household: '/guides/sell-without-screens#1-make-the-household',
  'total cost': '/reference#tag/quotes/getQuoteTotalCost',
  'priority services': '/guides/api-behaviour#priority-services-register',
  'contract pdf': '/reference#tag/customers/getPciContractUrlPdf',
  'cancel contract': '/reference#tag/customers/cancelContract',
  'replace a tenant': '/reference#tag/customers/createReplacement',
  'meter reading': '/guides/api-behaviour#meter-readings',
  'broadband install date': '/guides/api-behaviour#install-dates',
  'payment schedule': '/guides/api-behaviour#payment-schedule',
  scopes: '/guides/authentication#scopes',
  'postcode lookup': '/reference#tag/addresses/lookupAddresses',
  'go live': '/guides/going-live',
  deprecated: '/guides/versioning#if-something-must-go',
  redeliver: '/reference#tag/webhooks/redeliver',
  'sample properties': '/guides/sandbox#sample-properties',
}

test('the search finds the right place among its first three for what readers look for', async () => {
  const { index, options } = (await (await fetch(`${service.baseUrl}/docs/search.json`)).json()) as {
    index: Parameters<typeof MiniSearch.loadJS>[0]
    options: Parameters<typeof MiniSearch.loadJS>[1]
  }
  const search = MiniSearch.loadJS(index, options)
  const hits = (words: string) => search.search(words).map(({ href }) => String(href))
  const wrong = Object.entries(queries).filter(([words, place]) => !hits(words).slice(0, 3).includes(`/docs${place}`))
  assert.deepEqual(
    wrong.map(([words, place]) => ({ words, place, found: hits(words).slice(0, 3) })),
    [],
  )
  for (const [place, words] of Object.entries(otherWords)) assert.equal(hits(words.split(',', 1)[0] ?? '')[0], place)
})

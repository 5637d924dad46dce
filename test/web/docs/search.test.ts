import assert from 'node:assert/strict'
import { test } from 'node:test'
import MiniSearch from 'minisearch'
import { otherWords, termOf } from '../../../src/web/docs/search-options.ts'
import { shareTestService } from '../../support/shared-service.ts'

const service = await shareTestService()

/**
 * What readers search for, and the first three places that they find: guides, operations (`~`), and errors. If a change brings
 * another place here, judge whether it is as right.
 */
const queries: Readonly<Record<string, readonly string[]>> = {
  'card declined': ['sandbox#test-cards', 'api-behaviour#another-card', 'api-behaviour#the-card-and-the-last-error'],
  '3-D Secure': ['sandbox#test-cards'],
  'move in date': ['api-behaviour#contract-dates', '~quotes/moveStart', '~sandbox/sandboxAdvanceClock'],
  'webhook signature': ['webhooks#verifying-the-signature', '~webhooks/rotateWebhookSecret', 'webhooks'],
  'rotate secret': ['authentication#changing-a-secret', '~webhooks/rotateWebhookSecret', 'webhooks#a-new-secret'],
  'change secret': ['authentication#changing-a-secret', 'configuration#secrets-from-files', 'webhooks#a-new-secret'],
  'rate limit': ['authentication#limits', 'configuration#limits-of-connections-and-requests', '/errors/rate_limited'],
  'token expired': ['api-behaviour#token-calls', 'authentication#token-calls', '~authentication/issueToken'],
  'idempotency key': ['/errors/idempotency_key_reused', '/errors/idempotency_in_flight', 'idempotency#choosing-a-key'],
  'retry after': ['errors-and-retries#how-long-to-wait', '/errors/service_unavailable', 'webhooks#retries'],
  'quote expired': ['/errors/quote_expired', '~sandbox/sandboxExpireQuote', 'api-behaviour#quote-status'],
  'test cards': ['sandbox#test-cards', 'quickstart#the-card-in-a-browser', 'sandbox#cards'],
  'create a quote': ['~quotes/createQuote', 'quickstart#the-first-quote', '~customers/createSetupIntent'],
  'first quote': ['quickstart#the-first-quote', 'clients#the-first-quote', 'quickstart#the-first-contract'],
  'add tenants': ['~quotes/addTenants', '/errors/tenants_required', 'api-behaviour#tenants-and-customers'],
  household: [
    'sell-without-screens#1-make-the-household',
    'connect-a-crm#one-call-for-a-household',
    'api-behaviour#a-household-in-one-call',
  ],
  'total cost': ['~quotes/getQuoteTotalCost', 'api-behaviour#cost-objects', '~customers/getCustomerTotalCost'],
  'priority services': [
    'operator/api#priority-services-register',
    'api-behaviour#priority-services-register',
    '~customers/listPsrCategories',
  ],
  'contract pdf': ['~customers/getPciContractUrlPdf', '~customers/getPciPreviewUrlPdf', 'quickstart#the-contract'],
  'cancel contract': [
    '/errors/contract_not_cancellable',
    '~customers/cancelContract',
    'ending-contracts#cancelling-and-ending-a-contract',
  ],
  'replace a tenant': ['~customers/createReplacement', '~customers/withdrawReplacement', '/errors/replacement_open'],
  'meter reading': ['~customers/reportMeterReading', 'ending-contracts#meter-readings', '~customers/listMeterReadings'],
  'broadband install date': [
    '/errors/install_date_not_available',
    'api-behaviour#install-dates',
    '~quotes/selectInstallDate',
  ],
  'payment schedule': [
    'api-behaviour#payment-schedule',
    '~customers/getPaymentSchedules',
    'operator/collecting#when-a-payment-fails',
  ],
  scopes: ['authentication#scopes', 'operator/api#scopes', 'authentication'],
  'postcode lookup': [
    'api-behaviour#addresses',
    'configuration#where-properties-come-from',
    '~addresses/lookupAddresses',
  ],
  'go live': ['going-live', 'configuration#going-live', 'going-live#before-you-ask-for-live-credentials'],
  deprecated: ['versioning#if-something-must-go'],
  redeliver: ['~webhooks/redeliver', 'webhooks#one-message', 'developer-pages#pages'],
  'sample properties': [
    'sandbox#sample-properties',
    '~sandbox/sandboxListPostcodes',
    'configuration#where-properties-come-from',
  ],
}

test('the search finds the right three places first for what readers look for', async () => {
  const { index, options } = (await (await fetch(`${service.baseUrl}/docs/search.json`)).json()) as {
    index: Parameters<typeof MiniSearch.loadJS>[0]
    options: Parameters<typeof MiniSearch.loadJS>[1]
  }
  const search = MiniSearch.loadJS(index, { ...options, processTerm: termOf })
  const hits = (words: string) => search.search(words).map(({ href }) => String(href))
  const shorten = (href: string) => href.replace(/^\/docs(\/guides\/)?/, '').replace('/reference#tag/', '~')
  const found = Object.keys(queries).map((words) => [words, hits(words).slice(0, 3).map(shorten).sort()])
  assert.deepEqual(
    Object.fromEntries(found),
    Object.fromEntries(Object.entries(queries).map(([words, places]) => [words, places.toSorted()])),
  )
  for (const [place, words] of Object.entries(otherWords)) assert.equal(hits(words.split(',', 1)[0] ?? '')[0], place)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { errorResponses } from '../../src/app/http/error-responses.ts'
import type { ErrorCode } from '../../src/platform/kernel/errors.ts'
import type { Problem } from '../support/client.ts'
import { call, connectPartner } from '../support/client.ts'
import { published } from '../support/openapi-responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService()
const codes = Object.keys(errorResponses) as ErrorCode[]

/**
 * The 422 codes that partners rely on (docs/errors-and-retries.md), including those of operations we added to the
 * specification.
 */
const promised = `validation_failed address_not_found address_not_serviceable quoting_tool_version_not_found
  package_not_available duplicate_reference import_begun duplicate_tenant too_many_tenants quote_expired quote_locked quote_cancelled packages_required
  tenants_required broadband_check_required broadband_product_not_available broadband_products_required
  install_date_not_available personal_information_required customer_under_18 psr_contact_required payment_setup_incomplete onboarding_incomplete
  customer_details_refused
  already_onboarded webhook_url_not_allowed webhook_url_unreachable webhook_event_unknown too_many_webhooks
  idempotency_key_reused contract_running customer_erased customer_removed
  supply_request_required terms_changed terms_not_shown contract_not_in_force contract_not_cancellable
  early_exit_not_defined end_date_not_allowed no_death_reported nothing_asked replacement_not_possible replacement_open
  start_not_movable webhook_disabled
  feed_reset acknowledged_otherwise service_status_not_allowed payment_status_not_allowed
  rate_card_change_not_allowed partner_disabled commission_terms_not_allowed commission_month_open`.split(/\s+/)

test('the 422 codes are exactly those that partners rely on', () => {
  const unprocessable = codes.filter((code) => errorResponses[code].status === 422)
  assert.deepEqual([...unprocessable].sort(), [...promised].sort())
})

test('every documented status has an error code, except those sent before a request is read; 409 is used for idempotency only', () => {
  const statuses = [...new Set(codes.map((code) => errorResponses[code].status))].sort()
  const beforeAnyRequest = [408, 414, 431]
  assert.deepEqual(
    statuses.filter((status) => !beforeAnyRequest.includes(status)),
    [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 429, 500, 503],
  )
  assert.deepEqual(
    codes.filter((code) => errorResponses[code].status === 409),
    ['idempotency_in_flight'],
  )
})

test('the problem type of every code opens a page that says what the code means and what to do', async () => {
  for (const code of codes) {
    const response = await call(service.baseUrl, 'GET', `/docs/errors/${code}`)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/)
    for (const text of [code, String(errorResponses[code].status), 'What to do'])
      assert.ok(response.text.includes(text))
  }
  const index = await call(service.baseUrl, 'GET', '/docs/errors')
  for (const code of codes) assert.ok(index.text.includes(`href="/docs/errors/${code}"`))
})

test('the type of a problem is the URL of its page on this server', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const answers = [
    await call(service.baseUrl, 'GET', '/nothing'),
    await call(service.baseUrl, 'GET', '/partner-api/Quotes'),
    await call(service.baseUrl, 'DELETE', '/partner-api/Quotes'),
    await partner.get('/Quotes/unknown'),
    await partner.post('/Quotes', {}),
    await partner.post('/Quotes', { addressUid: 'unknown' }),
    await partner.get('/Quotes?limit=0'),
  ]
  for (const { status, body } of answers) {
    assert.ok(status >= 400)
    const { type, code } = body as Problem
    assert.ok(type.startsWith(`${service.baseUrl}/docs/errors/`))
    const page = await fetch(type)
    assert.equal(page.status, 200)
    assert.ok((await page.text()).includes(code))
  }
})

test('every error code except method_not_allowed is documented for at least one operation', () => {
  const text = JSON.stringify(published)
  const documented = new Set(
    [...text.matchAll(/"x-error-codes":\[([^\]]*)\]/g)].flatMap(([, list = '']) => list.match(/\w+/g) ?? []),
  )
  const elsewhere = codes.filter((code) => !documented.has(code))
  // This code reports a method that the path does not have, so no operation can return it.
  assert.deepEqual(elsewhere, ['method_not_allowed'])
})

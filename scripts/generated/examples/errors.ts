import { accept, personalInformation, startQuote } from './journey.ts'
import type { CallInput, Recorder } from './recorder.ts'

/** What the errors need to know about the service. */
export interface ErrorContext {
  recorder: Recorder
  addressUid: string
  /** A property in a region without rates. */
  unserviceableUid: string
  /** An address that was never checked for broadband. */
  uncheckedUid: string
  receiverUrl: string
}

const json = { 'Content-Type': 'application/json' }

/** Causes every error of a request that is wrong whatever the operation. */
export async function recordRequestErrors({ recorder: { fail }, addressUid }: ErrorContext): Promise<void> {
  await fail('malformed_json', 'createQuote', { rawBody: '{"addressUid":' })
  await fail('invalid_request', 'createQuote', { body: { adressUid: addressUid } })
  await fail('validation_failed', 'listQuotes', { query: { limit: '0' } })
  await fail('unauthenticated', 'listQuotes', { headers: { Authorization: '' } })
  await fail('not_found', 'getQuote', { id: 'quote_01h455vb4pex5vsknk084sn02q' })
  await fail('not_acceptable', 'listQuotes', { headers: { Accept: 'text/html' } })
  await fail('payload_too_large', 'createQuote', { rawBody: ' '.repeat(70_000) })
  await fail('unsupported_media_type', 'createQuote', { rawBody: 'x', headers: { 'Content-Type': 'text/plain' } })
  await fail('uri_too_long', 'listQuotes', { query: { reference: 'x'.repeat(20_000) } })
  await fail('headers_too_large', 'listQuotes', { headers: { 'X-Long': 'x'.repeat(20_000) } })
  const body = { addressUid, reference: 'viewing-43' }
  const key = await inParallel('idempotency_in_flight', fail, { body })
  await fail('idempotency_key_reused', 'createQuote', { body: { addressUid }, headers: { 'Idempotency-Key': key } })
}

/** Sends a request several times at once, with one key after another until two of them meet. Returns the last key. */
async function inParallel(code: string, fail: Recorder['fail'], input: CallInput): Promise<string> {
  for (let round = 1; ; round++) {
    const key = `viewing-${42 + round}`
    const attempts = Array.from({ length: 8 }, () =>
      fail(code, 'createQuote', { ...input, headers: { ...json, ...input.headers, 'Idempotency-Key': key } }),
    )
    const outcomes = await Promise.allSettled(attempts)
    if (outcomes.some(({ status }) => status === 'fulfilled')) return key
    if (round === 20)
      throw new AggregateError(outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason))
  }
}

/** Causes every error of a quote's state. */
export async function recordQuoteErrors(context: ErrorContext): Promise<void> {
  const { recorder, addressUid } = context
  const { call, fail } = recorder
  const unknown = 'address_01h455vb4pex5vsknk084sn02q'
  await fail('address_not_found', 'createQuote', { body: { addressUid: unknown } })
  await fail('address_not_serviceable', 'createQuote', { body: { addressUid: context.unserviceableUid } })
  const version = { addressUid, quotingToolVersionId: 'qtv_unknown' }
  await fail('quoting_tool_version_not_found', 'createQuote', { body: version })

  const { quoteId: empty } = await call<{ quoteId: string }>('createQuote', { body: { addressUid } })
  await fail('packages_required', 'getQuoteTotalCost', { id: empty })
  await fail('package_not_available', 'addPackages', { id: empty, body: { packageIds: ['unknown-package'] } })
  await call('addPackages', { id: empty, body: { packageIds: ['gas-standard'] } })
  await fail('tenants_required', 'getQuoteTotalCost', { id: empty })
  await call('cancelQuote', { id: empty })
  await fail('quote_cancelled', 'addPackages', { id: empty, body: { packageIds: ['gas-standard'] } })

  const { quoteId } = await startQuote(recorder, context.uncheckedUid)
  const [ada] = [{ name: 'Ada Lovelace', email: 'ada@example.com' }]
  const services = ['electricity', 'gas']
  const known = { addressUid, packages: services, tenants: [ada], reference: 'viewing-42' }
  await fail('duplicate_reference', 'createHousehold', { body: { ...known, onDuplicateReference: 'reject' } })
  const begun = { kind: 'start', rows: [known] }
  const { importId } = await call<{ importId: string }>('createImport', { body: begun })
  await fail('import_begun', 'updateImport', { id: importId, body: begun })
  await call('cancelImport', { id: importId })
  await fail('duplicate_tenant', 'addTenants', { id: quoteId, body: { tenants: [ada] } })
  const many = Array.from({ length: 11 }, (_, index) => ({ name: `Tenant ${index}`, email: `t${index}@example.com` }))
  await fail('too_many_tenants', 'addTenants', { id: quoteId, body: { tenants: many } })
  const fibre = { broadbandProducts: ['fibre-150'] }
  await fail('broadband_check_required', 'addBroadbandProducts', { id: quoteId, body: fibre })
  await fail('broadband_products_required', 'getBroadbandInstallDates', { id: quoteId })
  await call('runBroadbandAvailabilityCheck', { id: context.uncheckedUid })
  const unknownProduct = { broadbandProducts: ['fibre-9000'] }
  await fail('broadband_product_not_available', 'addBroadbandProducts', { id: quoteId, body: unknownProduct })
  await call('addBroadbandProducts', { id: quoteId, body: fibre })
  await fail('install_date_not_available', 'selectInstallDate', { id: quoteId, body: { date: '2030-12-25' } })
  await call('sandboxExpireQuote', { id: quoteId })
  await fail('quote_expired', 'addPackages', { id: quoteId, body: { packageIds: ['electricity-standard'] } })
}

/** Causes every error of a customer's onboarding. */
export async function recordCustomerErrors({ recorder, addressUid }: ErrorContext): Promise<void> {
  const { call, fail } = recorder
  const { quoteId, tenantIds } = await startQuote(recorder, addressUid)
  const [id = '', second = ''] = tenantIds
  await fail('personal_information_required', 'createSetupIntent', { id })
  await fail('customer_under_18', 'finalisePersonalInformation', {
    id,
    body: personalInformation({ dateOfBirth: '2012-12-10' }),
  })
  const psrDetails = { hasPsr: true, categories: [{ code: '08' }], consentToShare: true }
  await fail('psr_contact_required', 'finalisePersonalInformation', { id, body: personalInformation({ psrDetails }) })
  await call('finalisePersonalInformation', { id, body: personalInformation() })
  await fail('onboarding_incomplete', 'getPciContractUrlHtml', { id })
  await call('updateCustomer', { id, body: { email: 'ada+email-refused@example.com' } })
  await fail('customer_details_refused', 'createSetupIntent', { id })
  await call('updateCustomer', { id, body: { email: 'ada@example.com' } })
  const { setupIntentId } = await call<{ setupIntentId: string }>('createSetupIntent', { id })
  await fail('payment_setup_incomplete', 'acceptTerms', { id })
  await fail('quote_locked', 'addPackages', { id: quoteId, body: { packageIds: ['electricity-standard'] } })
  await call('sandboxSteerProcessorOutage', { body: { down: true } })
  await fail('service_unavailable', 'createSetupIntent', { id })
  await call('sandboxSteerProcessorOutage', { body: { down: false } })
  await call('sandboxConfirmSetupIntent', { id: setupIntentId, body: { paymentMethod: 'pm_card_visa' } })
  await fail('terms_changed', 'acceptTerms', { id, body: { documentHash: '0'.repeat(64) } })
  await call('acceptTerms', { id })
  await fail('already_onboarded', 'finalisePersonalInformation', { id, body: personalInformation() })
  await fail('contract_running', 'eraseCustomer', { id })
  await call('reopenQuote', { id: quoteId })
  await call('removeTenants', { id: quoteId, body: { tenantIds: [id] } })
  await fail('customer_removed', 'finalisePersonalInformation', { id, body: personalInformation() })
  await recordSupplyRequest({ recorder, addressUid })
  await recordEndings({ recorder, addressUid })
  await call('eraseCustomer', { id: second })
  await fail('customer_erased', 'finalisePersonalInformation', { id: second, body: personalInformation() })
}

/** Causes the errors of contracts that cannot end, or not on that day. */
async function recordEndings({ recorder, addressUid }: Pick<ErrorContext, 'recorder' | 'addressUid'>): Promise<void> {
  const { call, fail } = recorder
  const { quoteId, tenantIds } = await startQuote(recorder, addressUid)
  const [id = '', ...others] = tenantIds
  await fail('contract_not_in_force', 'cancelContract', { id })
  await call('removeTenants', { id: quoteId, body: { tenantIds: others } })
  await accept(recorder, id)
  await fail('end_date_not_allowed', 'endContract', { id, body: { endDate: '2026-11-25' } })
  const joiner = { name: 'Robin Fields', email: 'robin.fields@example.com' }
  await fail('replacement_not_possible', 'createReplacement', { id, body: { ...joiner, from: '2026-11-25' } })
  await call('createReplacement', { id, body: { ...joiner, from: '2027-03-01' } })
  await fail('replacement_open', 'createReplacement', { id, body: { ...joiner, from: '2027-03-01' } })
  await fail('start_not_movable', 'moveStart', { id: quoteId, body: { contractStartDate: '2027-02-15' } })
}

/** Causes the error of a tenant who has not asked for supply that begins within the cancellation period. */
async function recordSupplyRequest({
  recorder,
  addressUid,
}: Pick<ErrorContext, 'recorder' | 'addressUid'>): Promise<void> {
  const { call, fail } = recorder
  const { tenantIds } = await startQuote(recorder, addressUid, { contractStartDate: '2026-12-15' })
  const [id = ''] = tenantIds
  await call('finalisePersonalInformation', { id, body: personalInformation() })
  const { setupIntentId } = await call<{ setupIntentId: string }>('createSetupIntent', { id })
  await call('sandboxConfirmSetupIntent', { id: setupIntentId, body: { paymentMethod: 'pm_card_visa' } })
  await fail('supply_request_required', 'acceptTerms', { id })
}

/** Causes every error of a webhook. */
export async function recordWebhookErrors({ recorder: { call, fail }, receiverUrl }: ErrorContext): Promise<void> {
  const events = ['quote.status.changed']
  await fail('webhook_url_not_allowed', 'createWebhook', { body: { url: 'http://partner.example/webhooks', events } })
  await fail('webhook_url_unreachable', 'createWebhook', { body: { url: 'https://unknown.example/webhooks', events } })
  await fail('webhook_event_unknown', 'createWebhook', { body: { url: receiverUrl, events: ['quote.sold'] } })
  const { webhookId } = await call<{ webhookId: string }>('createWebhook', { body: { url: receiverUrl, events } })
  await call('updateWebhook', { id: webhookId, body: { status: 'disabled' } })
  await fail('webhook_disabled', 'sendTestEvent', { id: webhookId })
  for (let count = 1; ; count++) {
    const body = { url: `${receiverUrl}/${count}`, events }
    if (
      await call('createWebhook', { body }).then(
        () => false,
        () => true,
      )
    )
      break
  }
  await fail('too_many_webhooks', 'createWebhook', { body: { url: `${receiverUrl}/more`, events } })
}

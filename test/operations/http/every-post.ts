import type { Partner } from '../../support/client.ts'
import { addTenants, personalInformation, sampleTenants } from '../../support/household.ts'
import type { Reply } from '../../support/response-types.ts'
import { succeeded } from '../../support/responses.ts'
import { ordinaryProperty } from '../../support/sample-properties.ts'

/** Sends a POST with a new idempotency key, once or repeatedly as the test decides, and returns the body of the successful response. */
export type SendPost = <Path extends string>(
  operationId: string,
  path: Path,
  body?: unknown,
) => Promise<Reply<'POST', Path>>

/**
 * Calls every POST operation in the route table once, in an order in which all of them succeed. Intermediate requests, such as reads, are
 * sent by `partner`. A test compares the calls with the table, so that no operation is forgotten.
 */
export async function callEveryPost(partner: Partner, post: SendPost): Promise<void> {
  const { addressUid } = ordinaryProperty()
  const { quoteId, availablePackages } = await post('createQuote', '/Quotes', { addressUid })
  const packageOf = (type: string) => availablePackages.find((each) => each.type === type)?.packageId
  const quote = `/Quotes/${quoteId}` as const
  await post('addPackages', `${quote}/add-packages`, { packageIds: [packageOf('electricity')] })
  await post('updatePackages', `${quote}/update-packages`, { packageIds: [packageOf('gas')] })
  const { tenants } = await post('addTenants', `${quote}/add-tenants`, { tenants: sampleTenants(2) })
  const [lead, second] = tenants.map(({ tenantId }) => tenantId)
  await post('removeTenants', `${quote}/remove-tenants`, { tenantIds: [second] })
  const { uid } = await post('requestBroadbandAvailability', '/Quotes/broadband-availability-requests', { addressUid })
  const { products } = succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${uid}`))
  await post('addBroadbandProducts', `${quote}/add-broadband-products`, { broadbandProducts: [products[0]?.productId] })
  const { earliestDate } = succeeded(await partner.get(`${quote}/get-bb-install-dates`))
  await post('selectInstallDate', `${quote}/select-install-date`, { date: earliestDate })
  await post('sandboxExpireQuote', `/Sandbox/quotes/${quoteId}/expire`)
  succeeded(await partner.get(`${quote}/total-cost`))
  const customer = `/Customers/${lead}` as const
  await post('finalisePersonalInformation', `${customer}/finalise-personal-information`, personalInformation())
  await post('createSetupIntent', `${customer}/create-setup-intent`)
  await post('reopenQuote', `${quote}/reopen`)
  const { setupIntentId } = succeeded(await partner.post(`${customer}/create-setup-intent`))
  await post('sandboxConfirmSetupIntent', `/Sandbox/setup-intents/${setupIntentId}/confirm`, {
    paymentMethod: 'pm_card_authenticationRequiredOnSetup',
  })
  await post('sandboxAuthenticateSetupIntent', `/Sandbox/setup-intents/${setupIntentId}/authenticate`, {
    outcome: 'passed',
  })
  await post('acceptTerms', `${customer}/accept-terms`)
  await post('sandboxCollectPayment', `/Sandbox/customers/${lead}/collect`, {})
  const { contract } = succeeded(await partner.get(customer))
  const confirmed = `${customer}/contracts/${contract?.contractNumber}/confirmation-sent` as const
  await post('reportConfirmationSent', confirmed, { sentAt: contract?.effectiveAt })
  await post('revokeLinks', `${customer}/revoke-links`)
  const supplied = { serviceId: packageOf('gas'), status: 'requested' }
  await post('sandboxSetServiceStatus', `/Sandbox/quotes/${quoteId}/service-status`, supplied)
  const joiner = { name: 'Jo Joiner', email: 'jo.joiner@example.com', from: contract?.startsOn }
  await post('createReplacement', `${customer}/replacements`, joiner)
  await post('withdrawReplacement', `${customer}/withdraw-replacement`)
  await post('endContract', `${customer}/end-contract`, { endDate: contract?.startsOn })
  await post('cancelContract', `${customer}/cancel-contract`)
  await post('sandboxSteerProcessorWebhooks', '/Sandbox/payment-processor/webhooks', { delaySeconds: 1 })
  await post('sandboxSteerProcessorOutage', '/Sandbox/payment-processor/outage', { down: false })
  const other = succeeded(await partner.post('/Quotes', { addressUid }))
  const [stranger] = await addTenants(partner, other.quoteId, sampleTenants(1))
  await post('eraseCustomer', `/Customers/${stranger}/erase`)
  await post('cancelQuote', `/Quotes/${other.quoteId}/cancel`)
  const hook = { url: 'https://127.0.0.1:9/hook', events: ['quote.status.changed'] }
  const { webhookId } = await post('createWebhook', '/Webhooks', hook)
  await post('sendTestEvent', `/Webhooks/${webhookId}/send-test-event`)
  const { deliveryId } = succeeded(await partner.post(`/Webhooks/${webhookId}/send-test-event`))
  await post('redeliver', `/Deliveries/${deliveryId}/redeliver`)
  const since = new Date(Date.now() - 60_000).toISOString()
  await post('replayWebhook', `/Webhooks/${webhookId}/replay`, { since })
  await post('sendVerification', `/Webhooks/${webhookId}/send-verification`)
  await post('rotateWebhookSecret', `/Webhooks/${webhookId}/rotate-secret`)
  succeeded(await partner.post(`/Webhooks/${webhookId}/rotate-secret`))
  await post('sandboxAdvanceDeliveries', `/Sandbox/webhooks/${webhookId}/advance`, { seconds: 1 })
  await post('sandboxSteerBroadband', `/Sandbox/broadband/${addressUid}`, { homeTelecom: { outcome: 'slow' } })
  await post('sandboxAdvanceClock', '/Sandbox/clock/advance', { seconds: 60 })
  await post('sandboxChangePrices', '/Sandbox/price-change', { percent: 5 })
}

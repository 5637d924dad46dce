import { addBroadbandProductsRoute } from '../../broadband/add-broadband-products.route.ts'
import { requestAvailabilityRoute } from '../../broadband/availability/request-availability.route.ts'
import { runAvailabilityCheckRoute } from '../../broadband/availability/run-availability-check.route.ts'
import { getInstallDatesRoute } from '../../broadband/get-install-dates.route.ts'
import { selectInstallDateRoute } from '../../broadband/select-install-date.route.ts'
import { reportConfirmationSentRoute } from '../../contracts/confirmation/report-confirmation-sent.route.ts'
import { contractUrlRoute, previewUrlRoute, revokeLinksRoute } from '../../contracts/links/contract-url.route.ts'
import { createOnboardingLinkRoute, revokeOnboardingLinksRoute } from '../../contracts/links/onboarding-links.route.ts'
import { listCustomerContractsRoute } from '../../contracts/list-customer-contracts.route.ts'
import { listMailsRoute } from '../../contracts/mails/list-mails.route.ts'
import { listMeterReadingsRoute, reportMeterReadingRoute } from '../../contracts/meter-readings/meter-readings.route.ts'
import {
  createReplacementRoute,
  withdrawReplacementRoute,
} from '../../contracts/replacements/create-replacement.route.ts'
import { cancelContractRoute } from '../../contracts/termination/cancel-contract.route.ts'
import { endContractRoute } from '../../contracts/termination/end-contract.route.ts'
import { acceptTermsRoute } from '../../onboarding/accept-terms.route.ts'
import { cancelQuoteRoute, reopenQuoteRoute } from '../../onboarding/cancel-reopen/cancel-or-reopen-quote.route.ts'
import { createHouseholdRoute } from '../../onboarding/create-household.route.ts'
import { createSetupIntentRoute } from '../../onboarding/create-setup-intent.route.ts'
import { listCustomerPaymentsRoute } from '../../onboarding/customer-payments.route.ts'
import { customerTotalCostRoute } from '../../onboarding/customer-total-cost.route.ts'
import { finalisePersonalInformationRoute } from '../../onboarding/finalise-personal-information.route.ts'
import { getCustomerRoute } from '../../onboarding/get-customer.route.ts'
import { listCustomersRoute } from '../../onboarding/list-customers.route.ts'
import { paymentSchedulesRoute } from '../../onboarding/payment-schedules.route.ts'
import { psrCategoriesRoute } from '../../onboarding/psr-categories.route.ts'
import { updateCustomerRoute } from '../../onboarding/update-customer.route.ts'
import type { Route } from '../../platform/http/route.ts'
import { eraseCustomerRoute } from '../../privacy/erase-customer.route.ts'
import { exportCustomerRoute } from '../../privacy/export-customer.route.ts'
import { lookupAddressesRoute } from '../../properties/lookup-addresses.route.ts'
import { addPackagesRoute } from '../../quoting/packages/add-packages.route.ts'
import { updatePackagesRoute } from '../../quoting/packages/update-packages.route.ts'
import { estimateQuoteRoute } from '../../quoting/pricing/estimate-quote.route.ts'
import { quoteTotalCostRoute } from '../../quoting/pricing/quote-total-cost.route.ts'
import { createQuoteRoute } from '../../quoting/quotes/create-quote.route.ts'
import { listQuotingToolVersionsRoute } from '../../quoting/quotes/list-quoting-tool-versions.route.ts'
import { getQuoteRoute, listQuotesRoute } from '../../quoting/quotes/read-quotes.route.ts'
import { updateQuoteRoute } from '../../quoting/quotes/update-quote.route.ts'
import { addTenantsRoute } from '../../quoting/tenants/add-tenants.route.ts'
import { removeTenantsRoute } from '../../quoting/tenants/remove-tenants.route.ts'
import { advanceClockRoute, readClockRoute } from '../../sandbox/advance-clock.route.ts'
import { advanceDeliveriesRoute } from '../../sandbox/advance-deliveries.route.ts'
import { collectPaymentRoute } from '../../sandbox/collect-payment.route.ts'
import { expireQuoteRoute } from '../../sandbox/expire-quote.route.ts'
import { changePricesRoute } from '../../sandbox/price-change/change-prices.route.ts'
import { listRequestsRoute } from '../../sandbox/requests/list-requests.route.ts'
import { listSamplePostcodesRoute } from '../../sandbox/samples/list-sample-postcodes.route.ts'
import { setServiceStatusRoute } from '../../sandbox/set-service-status.route.ts'
import { authenticateSetupIntentRoute, confirmSetupIntentRoute } from '../../sandbox/setup-intent-step.route.ts'
import { steerBroadbandRoute } from '../../sandbox/steer-broadband.route.ts'
import { steerProcessorOutageRoute, steerProcessorWebhooksRoute } from '../../sandbox/steer-processor.route.ts'
import { createWebhookRoute } from '../../webhooks/endpoints/create-webhook.route.ts'
import { deleteWebhookRoute } from '../../webhooks/endpoints/delete-webhook.route.ts'
import { getWebhookRoute, listWebhooksRoute } from '../../webhooks/endpoints/list-webhooks.route.ts'
import { updateWebhookRoute } from '../../webhooks/endpoints/update-webhook.route.ts'
import { getEventRoute, listEventsRoute } from '../../webhooks/events/list-events.route.ts'
import {
  getDeliveryRoute,
  listDeliveriesRoute,
  listEventDeliveriesRoute,
} from '../../webhooks/history/read-deliveries.route.ts'
import { sendTestEventRoute, sendVerificationRoute } from '../../webhooks/messages/messages.route.ts'
import { redeliverRoute } from '../../webhooks/replay/redeliver.route.ts'
import { getReplayRoute, replayWebhookRoute } from '../../webhooks/replay/replay-webhook.route.ts'
import { rotateSecretRoute } from '../../webhooks/secrets/rotate-secret.route.ts'

const table = [
  lookupAddressesRoute,
  listQuotingToolVersionsRoute,
  createQuoteRoute,
  getQuoteRoute,
  addPackagesRoute,
  addTenantsRoute,
  updatePackagesRoute,
  addBroadbandProductsRoute,
  getInstallDatesRoute,
  quoteTotalCostRoute,
  runAvailabilityCheckRoute,
  getCustomerRoute,
  customerTotalCostRoute,
  finalisePersonalInformationRoute,
  paymentSchedulesRoute,
  createSetupIntentRoute,
  acceptTermsRoute,
  contractUrlRoute('html'),
  contractUrlRoute('pdf'),
  createWebhookRoute,
  getWebhookRoute,

  createHouseholdRoute,
  listQuotesRoute,
  updateQuoteRoute,
  requestAvailabilityRoute,
  estimateQuoteRoute,
  removeTenantsRoute,
  selectInstallDateRoute,
  cancelQuoteRoute,
  reopenQuoteRoute,
  listCustomersRoute,
  psrCategoriesRoute,
  listCustomerContractsRoute,
  listMailsRoute,
  listCustomerPaymentsRoute,
  cancelContractRoute,
  endContractRoute,
  createReplacementRoute,
  withdrawReplacementRoute,
  reportMeterReadingRoute,
  listMeterReadingsRoute,
  revokeLinksRoute,
  createOnboardingLinkRoute,
  revokeOnboardingLinksRoute,
  reportConfirmationSentRoute,
  previewUrlRoute('html'),
  previewUrlRoute('pdf'),
  updateCustomerRoute,
  listWebhooksRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  rotateSecretRoute,
  sendTestEventRoute,
  sendVerificationRoute,
  listDeliveriesRoute,
  getDeliveryRoute,
  redeliverRoute,
  replayWebhookRoute,
  getReplayRoute,
  listEventsRoute,
  getEventRoute,
  listEventDeliveriesRoute,
  exportCustomerRoute,
  eraseCustomerRoute,

  expireQuoteRoute,
  setServiceStatusRoute,
  confirmSetupIntentRoute,
  authenticateSetupIntentRoute,
  collectPaymentRoute,
  steerProcessorWebhooksRoute,
  steerProcessorOutageRoute,
  readClockRoute,
  advanceClockRoute,
  steerBroadbandRoute,
  listSamplePostcodesRoute,
  listRequestsRoute,
  changePricesRoute,
  advanceDeliveriesRoute,
]

/** The routes with their types: method, path and response schema. */
export type TypedRoutes = (typeof table)[number]

/**
 * Every operation under /partner-api that needs a token, in the specification's order, then our additions. The server,
 * the OpenAPI document and the coverage tests read this table.
 */
export const routes: readonly Route[] = table

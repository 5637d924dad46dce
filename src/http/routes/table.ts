import type { Route } from '../route.ts'
import { lookupRoute } from './addresses/lookup.ts'
import { acceptTermsRoute } from './customers/accept-terms.ts'
import { cancelContractRoute } from './customers/cancel-contract.ts'
import { contractUrlRoute } from './customers/contract-url-route.ts'
import { createReplacementRoute } from './customers/create-replacement.ts'
import { createSetupIntentRoute } from './customers/create-setup-intent.ts'
import { endContractRoute } from './customers/end-contract.ts'
import { eraseCustomerRoute } from './customers/erase.ts'
import { exportCustomerRoute } from './customers/export.ts'
import { finalisePersonalInformationRoute } from './customers/finalise-personal-information.ts'
import { getCustomerRoute } from './customers/get.ts'
import { listCustomersRoute } from './customers/list.ts'
import { listContractsRoute } from './customers/list-contracts.ts'
import { paymentSchedulesRoute } from './customers/payment-schedules.ts'
import { previewUrlRoute } from './customers/preview-url-route.ts'
import { psrCategoriesRoute } from './customers/psr-categories.ts'
import { reportConfirmationSentRoute } from './customers/report-confirmation-sent.ts'
import { revokeLinksRoute } from './customers/revoke-links.ts'
import { customerTotalCostRoute } from './customers/total-cost.ts'
import { updateCustomerRoute } from './customers/update.ts'
import { withdrawReplacementRoute } from './customers/withdraw-replacement.ts'
import { getDeliveryRoute } from './deliveries/get.ts'
import { redeliverRoute } from './deliveries/redeliver.ts'
import { getEventRoute } from './events/get.ts'
import { listEventsRoute } from './events/list.ts'
import { listEventDeliveriesRoute } from './events/list-deliveries.ts'
import { addBroadbandProductsRoute } from './quotes/add-broadband-products.ts'
import { addPackagesRoute } from './quotes/add-packages.ts'
import { addTenantsRoute } from './quotes/add-tenants.ts'
import { cancelQuoteRoute } from './quotes/cancel.ts'
import { createQuoteRoute } from './quotes/create.ts'
import { estimateQuoteRoute } from './quotes/estimate.ts'
import { getQuoteRoute } from './quotes/get.ts'
import { getInstallDatesRoute } from './quotes/get-bb-install-dates.ts'
import { listQuotesRoute } from './quotes/list.ts'
import { listQuotingToolVersionsRoute } from './quotes/list-quoting-tool-versions.ts'
import { removeTenantsRoute } from './quotes/remove-tenants.ts'
import { reopenQuoteRoute } from './quotes/reopen.ts'
import { requestAvailabilityRoute } from './quotes/request-broadband-availability.ts'
import { runAvailabilityCheckRoute } from './quotes/run-broadband-availability-check.ts'
import { selectInstallDateRoute } from './quotes/select-install-date.ts'
import { quoteTotalCostRoute } from './quotes/total-cost.ts'
import { updateQuoteRoute } from './quotes/update.ts'
import { updatePackagesRoute } from './quotes/update-packages.ts'
import { getReplayRoute } from './replays/get.ts'
import { advanceClockRoute } from './sandbox/advance-clock.ts'
import { advanceDeliveriesRoute } from './sandbox/advance-deliveries.ts'
import { authenticateSetupIntentRoute } from './sandbox/authenticate-setup-intent.ts'
import { changePricesRoute } from './sandbox/change-prices.ts'
import { collectPaymentRoute } from './sandbox/collect-payment.ts'
import { confirmSetupIntentRoute } from './sandbox/confirm-setup-intent.ts'
import { expireQuoteRoute } from './sandbox/expire-quote.ts'
import { listPostcodesRoute } from './sandbox/list-postcodes.ts'
import { listRequestsRoute } from './sandbox/list-requests.ts'
import { readClockRoute } from './sandbox/read-clock.ts'
import { setServiceStatusRoute } from './sandbox/set-service-status.ts'
import { steerBroadbandRoute } from './sandbox/steer-broadband.ts'
import { steerProcessorOutageRoute } from './sandbox/steer-processor-outage.ts'
import { steerProcessorWebhooksRoute } from './sandbox/steer-processor-webhooks.ts'
import { createWebhookRoute } from './webhooks/create.ts'
import { deleteWebhookRoute } from './webhooks/delete.ts'
import { getWebhookRoute } from './webhooks/get.ts'
import { listWebhooksRoute } from './webhooks/list.ts'
import { listDeliveriesRoute } from './webhooks/list-deliveries.ts'
import { replayWebhookRoute } from './webhooks/replay.ts'
import { rotateWebhookSecretRoute } from './webhooks/rotate-secret.ts'
import { sendTestEventRoute } from './webhooks/send-test-event.ts'
import { sendVerificationRoute } from './webhooks/send-verification.ts'
import { updateWebhookRoute } from './webhooks/update.ts'

const table = [
  lookupRoute,
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
  listContractsRoute,
  cancelContractRoute,
  endContractRoute,
  createReplacementRoute,
  withdrawReplacementRoute,
  revokeLinksRoute,
  reportConfirmationSentRoute,
  previewUrlRoute('html'),
  previewUrlRoute('pdf'),
  updateCustomerRoute,
  listWebhooksRoute,
  updateWebhookRoute,
  deleteWebhookRoute,
  rotateWebhookSecretRoute,
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
  listPostcodesRoute,
  listRequestsRoute,
  changePricesRoute,
  advanceDeliveriesRoute,
]

/** The routes with their types: method, path and response schema. */
export type TypedRoutes = (typeof table)[number]

/**
 * Every operation under /partner-api that needs a token, in the specification's order, then our additions. The server, the OpenAPI
 * document and the coverage tests read this table.
 */
export const routes: readonly Route[] = table

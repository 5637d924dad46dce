import {
  queryCommissionLineRoute,
  readCommissionStatementRoute,
} from '../../back-office/commission/commission.route.ts'
import { readSalesRoute } from '../../back-office/reports/funnel.route.ts'
import { requestAvailabilityRoute, runAvailabilityCheckRoute } from '../../broadband/availability/availability.route.ts'
import {
  addBroadbandProductsRoute,
  getInstallDatesRoute,
  selectInstallDateRoute,
} from '../../broadband/broadband.route.ts'
import { reportConfirmationSentRoute } from '../../contracts/confirmation/report-confirmation-sent.route.ts'
import { listCustomerContractsRoute } from '../../contracts/contracts.route.ts'
import { reportDeathRoute } from '../../contracts/deaths/report-death.route.ts'
import { endHouseholdRoute } from '../../contracts/household-end/household-end.route.ts'
import { contractUrlRoute, previewUrlRoute, revokeLinksRoute } from '../../contracts/links/contract-url.route.ts'
import { createOnboardingLinkRoute, revokeOnboardingLinksRoute } from '../../contracts/links/onboarding-links.route.ts'
import { listMailsRoute } from '../../contracts/mails/list-mails.route.ts'
import { listMeterReadingsRoute, reportMeterReadingRoute } from '../../contracts/meter-readings/meter-readings.route.ts'
import { getOccupiersRoute, updateOccupiersRoute } from '../../contracts/occupiers/occupiers.route.ts'
import {
  createReplacementRoute,
  withdrawReplacementRoute,
} from '../../contracts/replacements/create-replacement.route.ts'
import {
  cancelContractRoute,
  confirmEndReasonRoute,
  endContractRoute,
  keepContractRoute,
  moveStartRoute,
} from '../../contracts/termination/termination.route.ts'
import { acceptTermsRoute } from '../../onboarding/accept-terms.route.ts'
import { cancelQuoteRoute, reopenQuoteRoute } from '../../onboarding/cancel-reopen/cancel-or-reopen-quote.route.ts'
import { createHouseholdRoute } from '../../onboarding/create-household.route.ts'
import {
  createSetupIntentRoute,
  listCustomerPaymentsRoute,
  paymentSchedulesRoute,
} from '../../onboarding/customer-payments.route.ts'
import {
  customerTotalCostRoute,
  getCustomerRoute,
  listCustomersRoute,
  psrCategoriesRoute,
  updateCustomerRoute,
} from '../../onboarding/customers.route.ts'
import { finalisePersonalInformationRoute } from '../../onboarding/finalise-personal-information.route.ts'
import {
  cancelImportRoute,
  createImportRoute,
  getImportRoute,
  listImportsRoute,
  updateImportRoute,
} from '../../onboarding/imports/imports.route.ts'
import { readSettingsRoute, updateSettingsRoute } from '../../partners/managing/own-settings.route.ts'
import type { Route } from '../../platform/http/route.ts'
import { eraseCustomerRoute, exportCustomerRoute } from '../../privacy/customer-data.route.ts'
import { lookupAddressesRoute } from '../../properties/lookup-addresses.route.ts'
import { matchAddressesRoute } from '../../properties/matching/match-addresses.route.ts'
import { addPackagesRoute, updatePackagesRoute } from '../../quoting/packages/packages.route.ts'
import { estimateQuoteRoute, quoteTotalCostRoute } from '../../quoting/pricing/pricing.route.ts'
import { getQuoteRoute, listQuotesRoute, listQuotingToolVersionsRoute } from '../../quoting/quotes/read-quotes.route.ts'
import { createQuoteRoute, updateQuoteRoute } from '../../quoting/quotes/write-quotes.route.ts'
import { addTenantsRoute, removeTenantsRoute } from '../../quoting/tenants/tenants.route.ts'
import { listRequestsRoute } from '../../sandbox/requests/list-requests.route.ts'
import { listSamplePostcodesRoute } from '../../sandbox/samples/list-sample-postcodes.route.ts'
import {
  advanceClockRoute,
  advanceDeliveriesRoute,
  authenticateSetupIntentRoute,
  collectPaymentRoute,
  confirmSetupIntentRoute,
  expireQuoteRoute,
  readClockRoute,
  setServiceStatusRoute,
} from '../../sandbox/sandbox.route.ts'
import {
  steerBroadbandRoute,
  steerProcessorOutageRoute,
  steerProcessorWebhooksRoute,
} from '../../sandbox/steering.route.ts'
import { deleteWebhookRoute } from '../../webhooks/endpoints/delete-webhook.route.ts'
import {
  createWebhookRoute,
  getWebhookRoute,
  listWebhooksRoute,
  updateWebhookRoute,
} from '../../webhooks/endpoints/webhooks.route.ts'
import { getEventRoute, listEventsRoute } from '../../webhooks/event-log/list-events.route.ts'
import {
  getDeliveryRoute,
  listDeliveriesRoute,
  listEventDeliveriesRoute,
} from '../../webhooks/history/read-deliveries.route.ts'
import { sendTestEventRoute, sendVerificationRoute } from '../../webhooks/messages/messages.route.ts'
import { getReplayRoute, redeliverRoute, replayWebhookRoute } from '../../webhooks/replay/replay-webhook.route.ts'
import { rotateSecretRoute } from '../../webhooks/secrets/rotate-secret.route.ts'

const table = [
  lookupAddressesRoute,
  matchAddressesRoute,
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
  createImportRoute,
  getImportRoute,
  listImportsRoute,
  updateImportRoute,
  cancelImportRoute,
  listQuotesRoute,
  updateQuoteRoute,
  getOccupiersRoute,
  updateOccupiersRoute,
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
  endHouseholdRoute,
  keepContractRoute,
  confirmEndReasonRoute,
  moveStartRoute,
  createReplacementRoute,
  withdrawReplacementRoute,
  reportDeathRoute,
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
  readSalesRoute,
  readCommissionStatementRoute,
  queryCommissionLineRoute,
  readSettingsRoute,
  updateSettingsRoute,

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
  advanceDeliveriesRoute,
]

/** The routes with their types: method, path and response schema. */
export type TypedRoutes = (typeof table)[number]

/**
 * Every operation under /partner-api that needs a token, in the specification's order, then our additions. The server,
 * the OpenAPI document and the coverage tests read this table.
 */
export const routes: readonly Route[] = table

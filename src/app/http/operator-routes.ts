import {
  addCommissionTermsRoute,
  answerCommissionQueryRoute,
  closeCommissionMonthRoute,
  exportCommissionRoute,
  listCommissionTermsRoute,
  readCommissionQueryRoute,
  readCommissionRoute,
} from '../../back-office/commission/commission.route.ts'
import {
  acknowledgeContractRoute,
  correctContractRoute,
  readContractDocumentsRoute,
  readContractFeedRoute,
  readContractRoute,
  readMissingConfirmationsRoute,
} from '../../back-office/contract-feed/contract-feed.route.ts'
import {
  exportContractsRoute,
  exportPaymentsRoute,
  exportPriorityServicesRoute,
} from '../../back-office/export-files/exports.route.ts'
import type { OperatorRoute } from '../../back-office/http/operator-route.ts'
import {
  addPartnerCredentialRoute,
  changePartnerCredentialRoute,
  changePartnerRoute,
  createPartnerRoute,
  disablePartnerRoute,
  listPartnersRoute,
  removePartnerCredentialRoute,
  resumePartnerRoute,
  rotatePartnerCredentialRoute,
  suspendPartnerRoute,
} from '../../back-office/partners/partners.route.ts'
import {
  listPaymentsRoute,
  listUnmatchedPaymentsRoute,
  readPaymentRoute,
} from '../../back-office/payments/list-payments.route.ts'
import {
  correctReportRoute,
  orderRefundRoute,
  payRefundByOperatorRoute,
  putBackRoute,
  reportPaymentRoute,
  settleUnmatchedRoute,
} from '../../back-office/payments/payments.route.ts'
import { decideDeathRoute, listDeathReportsRoute } from '../../back-office/people/deaths.route.ts'
import { answerEndRequestRoute, readEndRequestRoute } from '../../back-office/people/end-requests.route.ts'
import { findCustomersRoute, readTimelineRoute } from '../../back-office/people/find-customers.route.ts'
import {
  changePersonRoute,
  invitePersonRoute,
  listPeopleRoute,
  removePersonRoute,
} from '../../back-office/people/people.route.ts'
import { retryMailsRoute } from '../../back-office/people/retry-mails.route.ts'
import { serveCustomerRoutes } from '../../back-office/people/serve-customer.route.ts'
import { acknowledgePsrRoute, readPsrFeedRoute } from '../../back-office/psr-feed/psr-feed.route.ts'
import {
  compareRateCardsRoute,
  listRateCardHouseholdsRoute,
  listRateCardsRoute,
  publishRateCardRoute,
  restrictRateCardRoute,
  scheduleRateCardRoute,
  withdrawRateCardRoute,
} from '../../back-office/rate-cards/rate-cards.route.ts'
import { exportFunnelRoute, readFunnelRoute } from '../../back-office/reports/funnel.route.ts'
import { reportServiceRoute } from '../../back-office/service-reports/report-service.route.ts'
import { listTasksRoute } from '../../back-office/tasks/list-tasks.route.ts'
import { operatorWebhookRoutes } from '../../back-office/webhooks/webhooks.route.ts'

/**
 * Every operation under /operator-api that needs a token. The server, the OpenAPI document and the coverage tests read
 * this table.
 */
export const operatorRoutes: readonly OperatorRoute[] = [
  readContractFeedRoute,
  readContractRoute,
  readContractDocumentsRoute,
  acknowledgeContractRoute,
  readMissingConfirmationsRoute,
  correctContractRoute,
  reportServiceRoute,
  readPsrFeedRoute,
  acknowledgePsrRoute,
  listPaymentsRoute,
  readPaymentRoute,
  reportPaymentRoute,
  correctReportRoute,
  putBackRoute,
  orderRefundRoute,
  payRefundByOperatorRoute,
  listUnmatchedPaymentsRoute,
  settleUnmatchedRoute,
  exportContractsRoute,
  exportPriorityServicesRoute,
  exportPaymentsRoute,
  listTasksRoute,
  findCustomersRoute,
  readTimelineRoute,
  listDeathReportsRoute,
  decideDeathRoute,
  readEndRequestRoute,
  answerEndRequestRoute,
  ...serveCustomerRoutes,
  retryMailsRoute,
  listPartnersRoute,
  createPartnerRoute,
  changePartnerRoute,
  suspendPartnerRoute,
  resumePartnerRoute,
  disablePartnerRoute,
  addPartnerCredentialRoute,
  changePartnerCredentialRoute,
  rotatePartnerCredentialRoute,
  removePartnerCredentialRoute,
  listPeopleRoute,
  invitePersonRoute,
  changePersonRoute,
  removePersonRoute,
  ...operatorWebhookRoutes,
  listCommissionTermsRoute,
  addCommissionTermsRoute,
  listRateCardsRoute,
  compareRateCardsRoute,
  publishRateCardRoute,
  scheduleRateCardRoute,
  restrictRateCardRoute,
  withdrawRateCardRoute,
  listRateCardHouseholdsRoute,
  readFunnelRoute,
  exportFunnelRoute,
  readCommissionRoute,
  exportCommissionRoute,
  closeCommissionMonthRoute,
  readCommissionQueryRoute,
  answerCommissionQueryRoute,
]

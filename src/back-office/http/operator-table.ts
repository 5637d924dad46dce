import {
  closeCommissionMonthRoute,
  exportCommissionRoute,
  readCommissionRoute,
} from '../commission/commission-statement.route.ts'
import { addCommissionTermsRoute, listCommissionTermsRoute } from '../commission/commission-terms.route.ts'
import { acknowledgeContractRoute } from '../contract-feed/acknowledge-contract.route.ts'
import { correctContractRoute } from '../contract-feed/correct-contract.route.ts'
import { readContractRoute } from '../contract-feed/read-contract.route.ts'
import { readContractDocumentsRoute } from '../contract-feed/read-contract-documents.route.ts'
import { readContractFeedRoute } from '../contract-feed/read-contract-feed.route.ts'
import { readMissingConfirmationsRoute } from '../contract-feed/read-missing-confirmations.route.ts'
import {
  exportContractsRoute,
  exportPaymentsRoute,
  exportPriorityServicesRoute,
} from '../export-files/exports.route.ts'
import {
  addPartnerCredentialRoute,
  changePartnerCredentialRoute,
  removePartnerCredentialRoute,
  rotatePartnerCredentialRoute,
} from '../partners/partner-credentials.route.ts'
import {
  changePartnerRoute,
  createPartnerRoute,
  disablePartnerRoute,
  listPartnersRoute,
  resumePartnerRoute,
  suspendPartnerRoute,
} from '../partners/partners.route.ts'
import { correctReportRoute } from '../payments/correct-report.route.ts'
import { listPaymentsRoute, listUnmatchedPaymentsRoute, readPaymentRoute } from '../payments/list-payments.route.ts'
import { orderRefundRoute } from '../payments/order-refund.route.ts'
import { payRefundByOperatorRoute } from '../payments/pay-refund-by-operator.route.ts'
import { putBackRoute } from '../payments/put-back.route.ts'
import { reportPaymentRoute } from '../payments/report-payment.route.ts'
import { settleUnmatchedRoute } from '../payments/settle-unmatched.route.ts'
import { findCustomersRoute } from '../people/find-customers.route.ts'
import { changePersonRoute, invitePersonRoute, listPeopleRoute, removePersonRoute } from '../people/people.route.ts'
import { readTimelineRoute } from '../people/read-timeline.route.ts'
import { serveCustomerRoutes } from '../people/serve-customer.route.ts'
import { acknowledgePsrRoute } from '../psr-feed/acknowledge-psr.route.ts'
import { readPsrFeedRoute } from '../psr-feed/read-psr-feed.route.ts'
import {
  compareRateCardsRoute,
  listRateCardsRoute,
  publishRateCardRoute,
  restrictRateCardRoute,
  scheduleRateCardRoute,
  withdrawRateCardRoute,
} from '../rate-cards/rate-cards.route.ts'
import { exportFunnelRoute, readFunnelRoute } from '../reports/funnel.route.ts'
import { reportServiceRoute } from '../service-reports/report-service.route.ts'
import { listTasksRoute } from '../tasks/list-tasks.route.ts'
import type { OperatorRoute } from './operator-route.ts'

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
  ...serveCustomerRoutes,
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
  listCommissionTermsRoute,
  addCommissionTermsRoute,
  listRateCardsRoute,
  compareRateCardsRoute,
  publishRateCardRoute,
  scheduleRateCardRoute,
  restrictRateCardRoute,
  withdrawRateCardRoute,
  readFunnelRoute,
  exportFunnelRoute,
  readCommissionRoute,
  exportCommissionRoute,
  closeCommissionMonthRoute,
]

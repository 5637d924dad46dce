import {
  closeCommissionMonthRoute,
  exportCommissionRoute,
  readCommissionRoute,
} from '../../back-office/commission/commission-statement.route.ts'
import {
  addCommissionTermsRoute,
  listCommissionTermsRoute,
} from '../../back-office/commission/commission-terms.route.ts'
import { acknowledgeContractRoute } from '../../back-office/contract-feed/acknowledge-contract.route.ts'
import { correctContractRoute } from '../../back-office/contract-feed/correct-contract.route.ts'
import { readContractRoute } from '../../back-office/contract-feed/read-contract.route.ts'
import { readContractDocumentsRoute } from '../../back-office/contract-feed/read-contract-documents.route.ts'
import { readContractFeedRoute } from '../../back-office/contract-feed/read-contract-feed.route.ts'
import { readMissingConfirmationsRoute } from '../../back-office/contract-feed/read-missing-confirmations.route.ts'
import {
  exportContractsRoute,
  exportPaymentsRoute,
  exportPriorityServicesRoute,
} from '../../back-office/export-files/exports.route.ts'
import type { OperatorRoute } from '../../back-office/http/operator-route.ts'
import {
  addPartnerCredentialRoute,
  changePartnerCredentialRoute,
  removePartnerCredentialRoute,
  rotatePartnerCredentialRoute,
} from '../../back-office/partners/partner-credentials.route.ts'
import {
  changePartnerRoute,
  createPartnerRoute,
  disablePartnerRoute,
  listPartnersRoute,
  resumePartnerRoute,
  suspendPartnerRoute,
} from '../../back-office/partners/partners.route.ts'
import { correctReportRoute } from '../../back-office/payments/correct-report.route.ts'
import {
  listPaymentsRoute,
  listUnmatchedPaymentsRoute,
  readPaymentRoute,
} from '../../back-office/payments/list-payments.route.ts'
import { orderRefundRoute } from '../../back-office/payments/order-refund.route.ts'
import { payRefundByOperatorRoute } from '../../back-office/payments/pay-refund-by-operator.route.ts'
import { putBackRoute } from '../../back-office/payments/put-back.route.ts'
import { reportPaymentRoute } from '../../back-office/payments/report-payment.route.ts'
import { settleUnmatchedRoute } from '../../back-office/payments/settle-unmatched.route.ts'
import { findCustomersRoute } from '../../back-office/people/find-customers.route.ts'
import {
  changePersonRoute,
  invitePersonRoute,
  listPeopleRoute,
  removePersonRoute,
} from '../../back-office/people/people.route.ts'
import { readTimelineRoute } from '../../back-office/people/read-timeline.route.ts'
import { serveCustomerRoutes } from '../../back-office/people/serve-customer.route.ts'
import { acknowledgePsrRoute } from '../../back-office/psr-feed/acknowledge-psr.route.ts'
import { readPsrFeedRoute } from '../../back-office/psr-feed/read-psr-feed.route.ts'
import {
  compareRateCardsRoute,
  listRateCardsRoute,
  publishRateCardRoute,
  restrictRateCardRoute,
  scheduleRateCardRoute,
  withdrawRateCardRoute,
} from '../../back-office/rate-cards/rate-cards.route.ts'
import { exportFunnelRoute, readFunnelRoute } from '../../back-office/reports/funnel.route.ts'
import { reportServiceRoute } from '../../back-office/service-reports/report-service.route.ts'
import { listTasksRoute } from '../../back-office/tasks/list-tasks.route.ts'

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

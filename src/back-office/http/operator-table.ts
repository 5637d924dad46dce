import {
  closeCommissionMonthRoute,
  exportCommissionRoute,
  readCommissionRoute,
} from '../commission/commission-statement.route.ts'
import { addCommissionTermsRoute, listCommissionTermsRoute } from '../commission/commission-terms.route.ts'
import { acknowledgeContractRoute } from '../contract-feed/acknowledge-contract.route.ts'
import { correctContractRoute } from '../contract-feed/correct-contract.route.ts'
import { getContractRoute } from '../contract-feed/get-contract.route.ts'
import { getContractDocumentsRoute } from '../contract-feed/get-contract-documents.route.ts'
import { listContractFeedRoute } from '../contract-feed/list-contracts.route.ts'
import { listMissingConfirmationsRoute } from '../contract-feed/list-missing-confirmations.route.ts'
import {
  exportContractsRoute,
  exportPaymentsRoute,
  exportPriorityServicesRoute,
} from '../export-files/exports.route.ts'
import {
  addPartnerCredentialRoute,
  removePartnerCredentialRoute,
  rotatePartnerCredentialRoute,
} from '../partners/partner-credentials.route.ts'
import {
  changePartnerRoute,
  createPartnerRoute,
  listPartnersRoute,
  resumePartnerRoute,
  suspendPartnerRoute,
} from '../partners/partners.route.ts'
import { correctPaymentReportRoute } from '../payments/correct-payment-report.route.ts'
import { listPaymentsRoute, listUnmatchedPaymentsRoute, readPaymentRoute } from '../payments/list-payments.route.ts'
import { payRefundRoute } from '../payments/pay-refund.route.ts'
import { reportPaymentRoute } from '../payments/report-payment.route.ts'
import { putPaymentBackRoute, settleUnmatchedPaymentRoute } from '../payments/settle-unmatched-payment.route.ts'
import { findCustomersRoute } from '../people/find-customers.route.ts'
import { readTimelineRoute } from '../people/read-timeline.route.ts'
import { serveCustomerRoutes } from '../people/serve-customer.route.ts'
import { acknowledgePriorityServicesRoute } from '../psr-feed/acknowledge-priority-services.route.ts'
import { listPriorityServicesRoute } from '../psr-feed/list-priority-services.route.ts'
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
import type { OperatorRoute } from './operator-route.ts'

/**
 * Every operation under /operator-api that needs a token. The server, the OpenAPI document and the coverage tests read
 * this table.
 */
export const operatorRoutes: readonly OperatorRoute[] = [
  listContractFeedRoute,
  getContractRoute,
  getContractDocumentsRoute,
  acknowledgeContractRoute,
  listMissingConfirmationsRoute,
  correctContractRoute,
  reportServiceRoute,
  listPriorityServicesRoute,
  acknowledgePriorityServicesRoute,
  listPaymentsRoute,
  readPaymentRoute,
  reportPaymentRoute,
  correctPaymentReportRoute,
  putPaymentBackRoute,
  payRefundRoute,
  listUnmatchedPaymentsRoute,
  settleUnmatchedPaymentRoute,
  exportContractsRoute,
  exportPriorityServicesRoute,
  exportPaymentsRoute,
  findCustomersRoute,
  readTimelineRoute,
  ...serveCustomerRoutes,
  listPartnersRoute,
  createPartnerRoute,
  changePartnerRoute,
  suspendPartnerRoute,
  resumePartnerRoute,
  addPartnerCredentialRoute,
  rotatePartnerCredentialRoute,
  removePartnerCredentialRoute,
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

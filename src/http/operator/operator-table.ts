import type { OperatorRoute } from './operator-route.ts'
import { acknowledgeContractRoute } from './routes/acknowledge-contract.ts'
import { acknowledgePriorityServicesRoute } from './routes/acknowledge-priority-services.ts'
import { addCommissionTermsRoute, listCommissionTermsRoute } from './routes/commission-terms.ts'
import { correctContractRoute } from './routes/correct-contract.ts'
import { correctPaymentReportRoute } from './routes/correct-payment-report.ts'
import { exportContractsRoute, exportPaymentsRoute, exportPriorityServicesRoute } from './routes/exports.ts'
import { findCustomersRoute } from './routes/find-customers.ts'
import { getContractRoute } from './routes/get-contract.ts'
import { getContractDocumentsRoute } from './routes/get-contract-documents.ts'
import { listContractFeedRoute } from './routes/list-contracts.ts'
import { listMissingConfirmationsRoute } from './routes/list-missing-confirmations.ts'
import { listPaymentsRoute } from './routes/list-payments.ts'
import { listPriorityServicesRoute } from './routes/list-priority-services.ts'
import { listUnmatchedPaymentsRoute } from './routes/list-unmatched-payments.ts'
import {
  addPartnerCredentialRoute,
  removePartnerCredentialRoute,
  rotatePartnerCredentialRoute,
} from './routes/partner-credentials.ts'
import {
  changePartnerRoute,
  createPartnerRoute,
  listPartnersRoute,
  resumePartnerRoute,
  suspendPartnerRoute,
} from './routes/partners.ts'
import { payRefundRoute } from './routes/pay-refund.ts'
import { putPaymentBackRoute } from './routes/put-payment-back.ts'
import {
  compareRateCardsRoute,
  listRateCardsRoute,
  publishRateCardRoute,
  restrictRateCardRoute,
  scheduleRateCardRoute,
  withdrawRateCardRoute,
} from './routes/rate-cards.ts'
import { readPaymentRoute } from './routes/read-payment.ts'
import { readTimelineRoute } from './routes/read-timeline.ts'
import { reportPaymentRoute } from './routes/report-payment.ts'
import { reportServiceRoute } from './routes/report-service.ts'
import { closeCommissionMonthRoute, exportCommissionRoute, readCommissionRoute } from './routes/reports/commission.ts'
import { exportFunnelRoute, readFunnelRoute } from './routes/reports/funnel.ts'
import { serveCustomerRoutes } from './routes/serve-customer.ts'
import { settleUnmatchedPaymentRoute } from './routes/settle-unmatched-payment.ts'

/** Every operation under /operator-api that needs a token. The server, the OpenAPI document and the coverage tests read this table. */
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

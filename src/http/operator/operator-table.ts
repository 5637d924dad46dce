import type { OperatorRoute } from './operator-route.ts'
import { acknowledgeContractRoute } from './routes/acknowledge-contract.ts'
import { acknowledgePriorityServicesRoute } from './routes/acknowledge-priority-services.ts'
import { correctContractRoute } from './routes/correct-contract.ts'
import { getContractRoute } from './routes/get-contract.ts'
import { listContractFeedRoute } from './routes/list-contracts.ts'
import { listPaymentsRoute } from './routes/list-payments.ts'
import { listPriorityServicesRoute } from './routes/list-priority-services.ts'
import { listUnmatchedPaymentsRoute } from './routes/list-unmatched-payments.ts'
import { reportPaymentRoute } from './routes/report-payment.ts'
import { reportServiceRoute } from './routes/report-service.ts'
import { settleUnmatchedPaymentRoute } from './routes/settle-unmatched-payment.ts'

/** Every operation under /operator-api that needs a token. The server, the OpenAPI document and the coverage tests read this table. */
export const operatorRoutes: readonly OperatorRoute[] = [
  listContractFeedRoute,
  getContractRoute,
  acknowledgeContractRoute,
  correctContractRoute,
  reportServiceRoute,
  listPriorityServicesRoute,
  acknowledgePriorityServicesRoute,
  listPaymentsRoute,
  reportPaymentRoute,
  listUnmatchedPaymentsRoute,
  settleUnmatchedPaymentRoute,
]

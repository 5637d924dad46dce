import type { Logger } from 'pino'
import type { Databases } from '../../db/databases.ts'
import type { OperatorFile } from '../../domain/contracts/operator.ts'
import { latePaymentTermsOf } from '../../domain/contracts/terms/late-payment-terms-of.ts'
import type { MailCounts } from '../../domain/mails/mail-counts.ts'
import type { MailSender } from '../../domain/mails/mail-sender.ts'
import type { CollectingPolicy } from '../../domain/payments/collecting/collect-due-payments.ts'
import type { PaymentProcessor } from '../../domain/payments/payment-processor.ts'
import type { RefundingPolicy } from '../../domain/payments/refunding/pay-open-refunds.ts'
import type { ErasureLedger } from '../../domain/privacy/erasure-ledger.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { BankHolidays } from '../../kernel/working-days.ts'
import { collectPaymentsJob } from './collect-payments.ts'
import { collectionSweepJob } from './collection-sweep.ts'
import { commissionJob } from './commission.ts'
import { deletedWebhooksJob } from './deleted-webhooks.ts'
import { dueContractsJob } from './due-contracts.ts'
import { endedLocksJob } from './ended-locks.ts'
import { expiredRowsJob } from './expired-rows.ts'
import { partnerMailsJob, tenantMailsJob } from './mails.ts'
import { payRefundsJob } from './pay-refunds.ts'
import { personalDataRetentionJob } from './personal-data-retention.ts'
import { processorDeletionsJob } from './processor-deletions.ts'
import { psrReviewJob } from './psr-review.ts'
import { sandboxRequestsJob } from './sandbox-requests.ts'
import type { ScheduledJob } from './scheduler.ts'
import { setupIntentSweepJob } from './setup-intent-sweep.ts'
import { warnOfExpiryJob } from './warn-of-expiry.ts'
import { webhookRetentionJob } from './webhook-retention.ts'

interface JobDependencies {
  databases: Databases
  cipher: FieldCipher
  erasureLedger: ErasureLedger
  clock: Clock
  paymentProcessor: PaymentProcessor
  log: Logger
  requireVerification: boolean
  abandonedQuoteDays: number
  auditLogYears: number
  bankHolidays: BankHolidays
  /** Undefined unless Housebill collects payments. */
  collecting: CollectingPolicy | undefined
  /** Undefined unless Housebill pays refunds. */
  refunding: RefundingPolicy | undefined
  /** Undefined if no e-mail is sent. */
  mailing: { mailSender: MailSender; counts: MailCounts } | undefined
  publicUrl: string
  /** The operator as tenants know it. */
  trader: OperatorFile['trader']
  realm: 'sandbox' | 'live'
}

/** Every job that the service runs on a schedule. */
export function scheduledJobs(deps: JobDependencies): ScheduledJob[] {
  const db = deps.databases.system
  return [
    expiredRowsJob({ ...deps, db }),
    setupIntentSweepJob(deps),
    endedLocksJob(deps),
    dueContractsJob(deps),
    psrReviewJob(deps),
    collectionSweepJob(deps),
    ...(deps.collecting === undefined
      ? []
      : [collectPaymentsJob({ ...deps, latePaymentTermsOf, policy: deps.collecting })]),
    payRefundsJob({ ...deps, policy: deps.refunding }),
    ...(deps.mailing === undefined
      ? []
      : [partnerMailsJob({ ...deps, ...deps.mailing, db }), tenantMailsJob({ ...deps, ...deps.mailing })]),
    commissionJob(deps),
    processorDeletionsJob(deps),
    personalDataRetentionJob(deps),
    webhookRetentionJob({ ...deps, db }),
    deletedWebhooksJob({ ...deps, db }),
    warnOfExpiryJob({ ...deps, db }),
    ...(deps.realm === 'sandbox' ? [sandboxRequestsJob({ ...deps, db })] : []),
  ]
}

import type { Logger } from 'pino'
import { commissionJob } from '../back-office/commission/commission.job.ts'
import { psrReviewJob } from '../back-office/psr-feed/psr-review.job.ts'
import { tenancyEndQuestionsJob } from '../contracts/household-end/close-questions.ts'
import { stopSigningJob } from '../contracts/locks/stop-signing.ts'
import { endedLocksJob } from '../contracts/locks/store-ended-locks.ts'
import { dueTenantMailsJob, tenantMailsJob } from '../contracts/mails/mails.job.ts'
import type { TenantMailingDependencies } from '../contracts/mails/send-due-tenant-mails.ts'
import { recordContractChange } from '../contracts/operator-feeds/record-contract-change.ts'
import { dueContractsJob } from '../contracts/termination/end-due-contracts.ts'
import { latePaymentTermsOf } from '../contracts/terms/late-payment-terms-of.ts'
import { importsJob } from '../onboarding/imports/imports.job.ts'
import { warnOfExpiryJob } from '../partners/warn-of-expiry.job.ts'
import type { CollectingPolicy } from '../payments/collecting/collect-due-payments.ts'
import { collectPaymentsJob } from '../payments/collecting/collect-payments.job.ts'
import { collectionSweepJob } from '../payments/collecting/collection-sweep.job.ts'
import type { PaymentProcessor } from '../payments/payment-processor.ts'
import type { RefundingPolicy } from '../payments/refunding/pay-open-refunds.ts'
import { payRefundsJob } from '../payments/refunding/pay-refunds.job.ts'
import { setupIntentSweepJob } from '../payments/setup-intents/setup-intent-sweep.job.ts'
import type { ScheduledJob } from '../platform/jobs/scheduler.ts'
import type { MailSender } from '../platform/mail/mail-sender.ts'
import type { MailCounts } from '../platform/mail/send-all-mails.ts'
import type { ErasureLedger } from '../privacy/erasure-ledger.ts'
import { personalDataRetentionJob } from '../privacy/personal-data-retention.job.ts'
import { processorDeletionsJob } from '../privacy/processor-deletions.job.ts'
import type { RenewDependencies } from '../quoting/quotes/renew-expired-quote.ts'
import { sandboxRequestsJob } from '../sandbox/requests/sandbox-requests.job.ts'
import { deletedWebhooksJob } from '../webhooks/endpoints/deleted-webhooks.job.ts'
import { webhookRetentionJob } from '../webhooks/history/webhook-retention.job.ts'
import { partnerMailsJob } from '../webhooks/partner-mails/partner-mails.job.ts'
import { expiredRowsJob } from './expired-rows.job.ts'
import type { DeploymentDependencies } from './http/route-dependencies.ts'

interface JobDependencies
  extends DeploymentDependencies,
    RenewDependencies,
    Pick<TenantMailingDependencies, 'onboardingLinks' | 'refusalLinks'> {
  erasureLedger: ErasureLedger
  paymentProcessor: PaymentProcessor
  log: Logger
  requireVerification: boolean
  abandonedQuoteDays: number
  auditLogYears: number
  /** Undefined unless Housebill collects payments. */
  collecting: CollectingPolicy | undefined
  /** Undefined unless Housebill pays refunds. */
  refunding: RefundingPolicy | undefined
  /** Undefined if no e-mail is sent. */
  mailing: { mailSender: MailSender; counts: MailCounts; connections: number } | undefined
  publicUrl: string
}

/** Every job that the service runs on a schedule. */
export function scheduledJobs(deps: JobDependencies): ScheduledJob[] {
  const db = deps.databases.system
  return [
    expiredRowsJob({ ...deps, db }),
    setupIntentSweepJob({ ...deps, recordContractChange }),
    endedLocksJob(deps),
    stopSigningJob(deps),
    dueContractsJob(deps),
    importsJob(deps),
    tenancyEndQuestionsJob(deps),
    psrReviewJob(deps),
    collectionSweepJob(deps),
    ...(deps.collecting === undefined
      ? []
      : [collectPaymentsJob({ ...deps, latePaymentTermsOf, policy: deps.collecting })]),
    payRefundsJob({ ...deps, policy: deps.refunding }),
    ...(deps.mailing === undefined
      ? []
      : [
          partnerMailsJob({ ...deps, ...deps.mailing, db }),
          dueTenantMailsJob(deps),
          tenantMailsJob({ ...deps, ...deps.mailing }),
        ]),
    commissionJob(deps),
    processorDeletionsJob(deps),
    personalDataRetentionJob(deps),
    webhookRetentionJob({ ...deps, db }),
    deletedWebhooksJob({ ...deps, db }),
    warnOfExpiryJob({ ...deps, db }),
    ...(deps.realm === 'sandbox' ? [sandboxRequestsJob({ ...deps, db })] : []),
  ]
}

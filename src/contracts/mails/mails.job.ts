import type { Logger } from 'pino'
import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import type { MailCounts } from '../../platform/mail/mail-counts.ts'
import {
  type MailAttempt,
  type MailingDependencies,
  queueEndingCredentialMails,
  sendDueMail,
} from '../../platform/mail/send-due-mails.ts'
import { type DueMailDependencies, queueDueMails } from './queue-due-mails.ts'
import { sendDueTenantMail, type TenantMailingDependencies } from './send-due-tenant-mails.ts'

interface Reporting {
  log: Logger
  counts: MailCounts
}

/**
 * Every minute, notes which credentials are about to end, and sends the e-mails to partners' contacts that are due, one
 * after another. If the mail server cannot be used, the others are left for the next run. When the service stops, the
 * current e-mail may still be sent.
 */
export function partnerMailsJob({ log, counts, ...deps }: MailingDependencies & Reporting): ScheduledJob {
  return {
    name: 'send-mails',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      await queueEndingCredentialMails(deps)
      await sendAll(() => sendDueMail(deps), { log, counts, to: 'a partner', signal })
    },
  }
}

/** Every minute, sends the e-mails to tenants that are due, as `partnerMailsJob` does. */
export function tenantMailsJob({ log, counts, ...deps }: TenantMailingDependencies & Reporting): ScheduledJob {
  return {
    name: 'send-tenant-mails',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) => sendAll(() => sendDueTenantMail(deps), { log, counts, to: 'a tenant', signal }),
  }
}

/** Every five minutes, notes what tenants are to be sent because a day has come. */
export function dueTenantMailsJob(deps: DueMailDependencies): ScheduledJob {
  return {
    name: 'queue-tenant-mails',
    everyMinutes: 5,
    atMinute: 0,
    run: (signal) => queueDueMails(deps, { partnerId: null, isStopping: () => signal.aborted }),
  }
}

async function sendAll(
  sendNext: () => Promise<
    | (Pick<MailAttempt, 'mailId' | 'partnerId' | 'kind' | 'reason'> & {
        outcome: string
        isServerUsable: boolean
        error?: unknown
      })
    | undefined
  >,
  { log, counts, to, signal }: Reporting & { to: string; signal: AbortSignal },
): Promise<void> {
  while (!signal.aborted) {
    const attempt = await sendNext()
    if (attempt === undefined) return
    const { outcome, isServerUsable, error, ...which } = attempt
    if (outcome === 'sent' || outcome === 'failed' || outcome === 'given_up')
      counts[isServerUsable ? outcome : 'unusable']++
    if (outcome === 'sent') log.info(which, `e-mail to ${to} sent`)
    if (error !== undefined)
      log.error({ err: error, ...which }, `e-mail to ${to} could not be written; it will be retried`)
    else if (!isServerUsable)
      log.error(which, 'the mail server cannot be used or takes nothing from us; e-mails are kept')
    else if (outcome === 'failed') log.warn(which, `e-mail to ${to} could not be sent; it will be retried`)
    if (outcome === 'given_up') log.error(which, `e-mail to ${to} given up`)
    if (!isServerUsable) return
  }
}

import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type MailReporting, sendAllMails } from '../../platform/mail/send-all-mails.ts'
import { type DueMailDependencies, queueDueMails } from './queue-due-mails.ts'
import { sendDueTenantMail, type TenantMailingDependencies } from './send-due-tenant-mails.ts'

/**
 * Every minute, sends the e-mails to tenants that are due, one after another. When the service stops, the current e-mail
 * may still be sent.
 */
export function tenantMailsJob({ log, counts, ...deps }: TenantMailingDependencies & MailReporting): ScheduledJob {
  return {
    name: 'send-tenant-mails',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) => sendAllMails(() => sendDueTenantMail(deps), { log, counts, to: 'a tenant', signal }),
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

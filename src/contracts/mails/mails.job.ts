import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type MailReporting, sendAllMails } from '../../platform/mail/send-all-mails.ts'
import { type DueMailDependencies, queueDueMails } from './queue-due-mails.ts'
import { leaseTenantMail, sendTenantMail, type TenantMailingDependencies } from './send-due-tenant-mails.ts'

/**
 * Every minute, sends the e-mails to tenants that are due. When the service stops, those that are being sent may still
 * be sent.
 */
export function tenantMailsJob({
  log,
  counts,
  connections,
  ...deps
}: TenantMailingDependencies & MailReporting): ScheduledJob {
  return {
    name: 'send-tenant-mails',
    everyMinutes: 1,
    atMinute: 0,
    run: (signal) =>
      sendAllMails(
        {
          leaseNext: (besides) => leaseTenantMail(deps, besides),
          recipientOf: ({ customerId }) => customerId,
          send: (leased) => sendTenantMail(deps, leased),
        },
        { log, counts, connections, to: 'a tenant', signal },
      ),
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

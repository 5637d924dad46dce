import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type MailReporting, sendAllMails } from '../../platform/mail/send-all-mails.ts'
import {
  leasePartnerMail,
  type MailingDependencies,
  queueEndingCredentialMails,
  sendPartnerMail,
} from './send-due-mails.ts'

/**
 * Every minute, notes which credentials are about to end, and sends the e-mails to partners' contacts that are due. If
 * the mail server cannot be used, the others are left for the next run. When the service stops, those that are being sent
 * may still be sent.
 */
export function partnerMailsJob({
  log,
  counts,
  connections,
  ...deps
}: MailingDependencies & MailReporting): ScheduledJob {
  return {
    name: 'send-mails',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      await queueEndingCredentialMails(deps)
      await sendAllMails(
        {
          leaseNext: () => leasePartnerMail(deps),
          recipientOf: ({ mailId }) => mailId,
          send: (mail) => sendPartnerMail(deps, mail),
        },
        { log, counts, connections, to: 'a partner', signal },
      )
    },
  }
}

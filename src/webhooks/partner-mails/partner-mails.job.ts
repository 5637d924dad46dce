import type { ScheduledJob } from '../../platform/jobs/scheduler.ts'
import { type MailReporting, sendAllMails } from '../../platform/mail/send-all-mails.ts'
import { type MailingDependencies, queueEndingCredentialMails, sendDueMail } from './send-due-mails.ts'

/**
 * Every minute, notes which credentials are about to end, and sends the e-mails to partners' contacts that are due, one
 * after another. If the mail server cannot be used, the others are left for the next run. When the service stops, the
 * current e-mail may still be sent.
 */
export function partnerMailsJob({ log, counts, ...deps }: MailingDependencies & MailReporting): ScheduledJob {
  return {
    name: 'send-mails',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      await queueEndingCredentialMails(deps)
      await sendAllMails(() => sendDueMail(deps), { log, counts, to: 'a partner', signal })
    },
  }
}

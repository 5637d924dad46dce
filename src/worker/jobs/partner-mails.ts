import type { Logger } from 'pino'
import type { MailCounts } from '../../domain/mails/mail-counts.ts'
import { type MailingDependencies, queueEndingCredentialMails, sendDueMail } from '../../domain/mails/send-due-mails.ts'
import type { ScheduledJob } from './scheduler.ts'

/**
 * Every minute, notes which credentials are about to end, and sends the e-mails to partners' contacts that are due, one after another. If the mail server
 * cannot be used, the others are left for the next run. When the service stops, the current e-mail may still be sent.
 */
export function partnerMailsJob({
  log,
  counts,
  ...deps
}: MailingDependencies & { log: Logger; counts: MailCounts }): ScheduledJob {
  return {
    name: 'send-mails',
    everyMinutes: 1,
    atMinute: 0,
    async run(signal) {
      await queueEndingCredentialMails(deps)
      while (!signal.aborted) {
        const attempt = await sendDueMail(deps)
        if (attempt === undefined) return
        const { outcome, isServerUsable, ...which } = attempt
        if (outcome !== 'obsolete') counts[outcome]++
        if (outcome === 'sent') log.info(which, 'e-mail to a partner sent')
        if (outcome === 'failed') log.warn(which, 'e-mail to a partner could not be sent; it will be retried')
        if (outcome === 'given_up') log.error(which, 'e-mail to a partner given up')
        if (!isServerUsable) return
      }
    },
  }
}

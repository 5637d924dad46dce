import type { Logger } from 'pino'
import type { MailAttempt } from './attempt-mail.ts'

/** What became of this process's attempts to send e-mails, since it started. */
export interface MailCounts {
  sent: number
  /** Attempts that failed and will be repeated. */
  failed: number
  given_up: number
  /**
   * Attempts for which no mail server could be used, or it took nothing from us. They do not count against the e-mail.
   */
  unusable: number
}

/** Counts from zero. */
export function createMailCounts(): MailCounts {
  return { sent: 0, failed: 0, given_up: 0, unusable: 0 }
}

export interface MailReporting {
  log: Logger
  counts: MailCounts
}

/** Sends what is due until nothing is, or the mail server cannot be used: the others are left for the next run. */
export async function sendAllMails(
  sendNext: () => Promise<
    | (Pick<MailAttempt, 'mailId' | 'partnerId' | 'kind' | 'reason'> & {
        outcome: string
        isServerUsable: boolean
        error?: unknown
      })
    | undefined
  >,
  { log, counts, to, signal }: MailReporting & { to: string; signal: AbortSignal },
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

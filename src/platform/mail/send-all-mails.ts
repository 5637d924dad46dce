import type { Logger } from 'pino'
import { handleInParallel } from '../jobs/handle-all.ts'
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
  /** How many e-mails are sent at once. */
  connections: number
}

/** How e-mails of one kind are leased and sent. */
interface Sending<Leased> {
  /** Leases the e-mail that has been due for longest, to none of these recipients. */
  leaseNext(besides: readonly string[]): Promise<Leased | undefined>
  recipientOf(leased: Leased): string
  send(leased: Leased): Promise<
    Pick<MailAttempt, 'mailId' | 'partnerId' | 'kind' | 'reason'> & {
      outcome: string
      isServerUsable: boolean
      error?: unknown
    }
  >
}

/**
 * Sends what is due until nothing is, or the mail server cannot be used: the others are left for the next run. Sends up
 * to `connections` at once, but to one recipient only one, the oldest first.
 */
export async function sendAllMails<Leased>(
  { leaseNext, recipientOf, send }: Sending<Leased>,
  { log, counts, connections, to, signal }: MailReporting & { to: string; signal: AbortSignal },
): Promise<void> {
  const busy = new Set<string>()
  let isUsable = true
  const sendOne = async (leased: Leased) => {
    const { outcome, isServerUsable, error, ...which } = await send(leased)
    isUsable &&= isServerUsable
    if (outcome === 'sent' || outcome === 'failed' || outcome === 'given_up')
      counts[isServerUsable ? outcome : 'unusable']++
    if (outcome === 'sent') log.info(which, `e-mail to ${to} sent`)
    if (error !== undefined)
      log.error({ err: error, ...which }, `e-mail to ${to} could not be written; it will be retried`)
    else if (!isServerUsable)
      log.error(which, 'the mail server cannot be used or takes nothing from us; e-mails are kept')
    else if (outcome === 'failed') log.warn(which, `e-mail to ${to} could not be sent; it will be retried`)
    if (outcome === 'given_up') log.error(which, `e-mail to ${to} given up`)
  }
  const isStopping = () => signal.aborted || !isUsable
  // Another round finds what waited for an e-mail to the same recipient.
  for (let isFirst = true, started = 0; isFirst || started > 0; isFirst = false) {
    started = 0
    await handleInParallel<Leased>({
      async listAfter() {
        const leased = await leaseNext([...busy])
        return leased === undefined ? [] : [leased]
      },
      async start(leased) {
        started++
        busy.add(recipientOf(leased))
        return () => sendOne(leased).finally(() => busy.delete(recipientOf(leased)))
      },
      keyOf: recipientOf,
      parallel: connections,
      batch: 1,
      isStopping,
    })
  }
}

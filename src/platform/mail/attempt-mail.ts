import { type Mail, MailFailure, type MailSender } from './mail-sender.ts'

/** How long sending is tried, from when the e-mail was due. */
const triedForMs = 3 * 86_400_000

/** When sending an e-mail ends, if it does not succeed before. */
export function triedUntil({ createdAt }: { createdAt: Date }): Date {
  return new Date(createdAt.getTime() + triedForMs)
}

/** How one attempt to send an e-mail ended. */
export interface Attempt {
  outcome: 'sent' | 'failed' | 'given_up'
  failure?: MailFailure
}

/**
 * Sends an e-mail once. If this fails, there is a next attempt unless the recipient was rejected or the time for it is
 * over.
 */
export async function attemptMail(
  mailSender: MailSender,
  mail: Mail,
  leased: { createdAt: Date; nextAttemptAt: Date },
): Promise<Attempt> {
  try {
    await mailSender.send(mail)
    return { outcome: 'sent' }
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    const isLast = error.kind === 'rejected' || leased.nextAttemptAt > triedUntil(leased)
    return { outcome: isLast ? 'given_up' : 'failed', failure: error }
  }
}

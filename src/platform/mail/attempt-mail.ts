import { type Mail, MailFailure, type MailSender } from './mail-sender.ts'

/** After so many attempts, with their pauses, a mail server has not taken an e-mail for three days. */
const maxAttempts = 20
/** For how long an e-mail is kept that waits for a mail server that can be used. */
const keptForMs = 30 * 86_400_000

/** How one attempt to send an e-mail ended. */
export interface Attempt {
  outcome: 'sent' | 'failed' | 'given_up'
  failure?: MailFailure
}

/**
 * Sends an e-mail once. If this fails, there is a next attempt unless the recipient was rejected or the time for it is
 * over: what the mail server rejects for now is tried for three days, and a mail server that cannot be used is waited
 * for.
 */
export async function attemptMail(
  mailSender: MailSender,
  mail: Mail,
  leased: { attempts: number; createdAt: Date; nextAttemptAt: Date },
): Promise<Attempt> {
  try {
    await mailSender.send(mail)
    return { outcome: 'sent' }
  } catch (error) {
    if (!(error instanceof MailFailure)) throw error
    const { attempts, createdAt, nextAttemptAt } = leased
    const isLast = {
      rejected: true,
      deferred: attempts >= maxAttempts,
      unavailable: nextAttemptAt.getTime() > createdAt.getTime() + keptForMs,
    }
    return { outcome: isLast[error.kind] ? 'given_up' : 'failed', failure: error }
  }
}

/** The end of one attempt. Contains ids only. */
export interface MailAttempt {
  mailId: string
  partnerId: string
  kind: string
  outcome: 'sent' | 'failed' | 'given_up' | 'obsolete'
  /** Why it failed: a code of the mail server or of the connection. */
  reason?: string
}

/** What became of this process's attempts to send e-mails, since it started. */
export interface MailCounts {
  sent: number
  /** Attempts that failed and will be repeated. */
  failed: number
  given_up: number
}

/** Counts from zero. */
export function createMailCounts(): MailCounts {
  return { sent: 0, failed: 0, given_up: 0 }
}

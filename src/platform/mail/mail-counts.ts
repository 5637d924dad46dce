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

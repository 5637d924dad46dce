import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import { parseSmtpUrl } from '../platform/config/mail.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import { createFileSender } from '../platform/mail/file.ts'
import type { MailSender } from '../platform/mail/mail-sender.ts'
import { createSmtpSender } from '../platform/mail/smtp.ts'

/** How this deployment writes to partners' contacts. Undefined if it does not, which is logged once. */
export function connectMailSender(
  { config: { mail }, secrets, log }: { config: Config; secrets: Secrets; log: Logger },
  lookup: LookupFunction,
): MailSender | undefined {
  switch (mail.transport) {
    case 'none':
      log.warn('no e-mail is sent to tenants or to contacts of partners: SMTP_URL is not set')
      return undefined
    case 'file':
      return createFileSender(mail)
    case 'smtp': {
      const server = parseSmtpUrl(secrets.smtpUrl ?? '')
      if (typeof server === 'string') throw new Error(server)
      return createSmtpSender({ ...server, from: mail.from, lookup })
    }
  }
}

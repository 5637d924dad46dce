import type { LookupFunction } from 'node:net'
import type { Logger } from 'pino'
import { createFileSender } from '../../adapters/mail-sender/file.ts'
import { createSmtpSender } from '../../adapters/mail-sender/smtp.ts'
import type { Config } from '../../config/config.ts'
import { parseSmtpUrl } from '../../config/mail.ts'
import type { Secrets } from '../../config/secrets.ts'
import type { MailSender } from '../../domain/mails/mail-sender.ts'

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

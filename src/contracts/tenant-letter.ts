import type { MailContent } from './mails/tenant-mails.store.ts'
import type { OperatorFile } from './operator-file.ts'
import { printable } from './printable.ts'

/** An e-mail to a tenant about their contract, without what all of them begin and end with. */
export interface Letter {
  tenantName: string
  subject: string
  /** An empty one is left out. */
  paragraphs: readonly string[]
  operator: OperatorFile
  environment: 'sandbox' | 'live'
}

/** The words of an e-mail to a tenant. Pure: the same letter gives the same words. */
export function writeLetter({ tenantName, subject, paragraphs, operator, environment }: Letter): MailContent {
  const { name, phone, email } = operator.trader
  const isSample = environment === 'sandbox' || operator.sample === true
  const all = [
    isSample ? 'SANDBOX SAMPLE, NOT A CONTRACT' : '',
    `Hello ${printable(tenantName)},`,
    ...paragraphs,
    [name, phone, email].map(printable).join('\n'),
  ]
  return {
    subject: isSample ? `[Sample] ${subject}` : subject,
    text: all
      .filter((text) => text !== '')
      .map((text) => `${text}\n`)
      .join('\n'),
  }
}

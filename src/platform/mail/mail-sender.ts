import type { SendMailOptions } from 'nodemailer'
import type { Id } from '../kernel/ids.ts'

/**
 * The e-mail as nodemailer takes it. A name or address is never parsed as a list of addresses, and nodemailer encodes
 * every header, so that a partner's name cannot add one. The same e-mail always becomes the same bytes. Throws
 * `MailFailure` for text that is not one address, which nodemailer would send in part.
 */
export function messageOf({ mailId, to, subject, text, html, date, ...mail }: Mail, from: string): SendMailOptions {
  if (!/^[^\s<>@]+@[^\s<>@]+$/.test(to.address)) throw new MailFailure('rejected', 'address')
  const domain = from.slice(from.lastIndexOf('@') + 1)
  return {
    from: { name: mail.from?.name ?? '', address: from },
    ...(mail.from === undefined ? {} : { replyTo: { name: mail.from.name, address: mail.from.replyTo } }),
    to: { name: to.name, address: to.address },
    envelope: { from, to: [to.address] },
    messageId: `<${mailId}@${domain}>`,
    date,
    subject,
    text,
    ...(html === undefined ? {} : { html }),
    ...(mail.attachment === undefined ? {} : { attachments: [attachmentOf(mail.attachment)] }),
    baseBoundary: mailId,
    ...(mail.unsubscribeUrl === undefined ? {} : { list: { unsubscribe: mail.unsubscribeUrl } }),
    // Mail programs that answer by themselves, such as during holidays, do not answer this (RFC 3834).
    headers: {
      'Auto-Submitted': 'auto-generated',
      // One click without a page (RFC 8058): a POST to the address of List-Unsubscribe.
      ...(mail.unsubscribeUrl === undefined ? {} : { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }),
    },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function attachmentOf({ name, type, bytes }: NonNullable<Mail['attachment']>) {
  return { filename: name, contentType: type, content: bytes, contentDisposition: 'attachment' as const }
}

/** An e-mail to one person, in plain text and, if it has any, in HTML that says the same. */
export interface Mail {
  mailId: Id<'mail'>
  to: { name: string; address: string }
  /** Whose name it carries, and where an answer goes. By default it carries no name, and nobody reads answers. */
  from?: { name: string; replyTo: string }
  subject: string
  text: string
  html?: string
  attachment?: { name: string; type: string; bytes: Buffer }
  /** Where a POST ends e-mails like this one. */
  unsubscribeUrl?: string
  /** The date in its header. */
  date: Date
}

/** Sends e-mails (SMTP, or files in a sandbox). */
export interface MailSender {
  /**
   * Hands the e-mail to the mail server. Its Message-ID follows from `mailId`, so that an e-mail sent twice is
   * recognisable. Throws `MailFailure`, and an Error if called inside a database transaction.
   */
  send(mail: Mail): Promise<void>
}

/**
 * How sending failed.
 * - `rejected`: the mail server will never accept this e-mail or its recipient
 * - `deferred`: the mail server does not accept this e-mail at present
 * - `unavailable`: no mail server that can be used: no connection, wrong certificate or password, or it takes nothing
 *   from us, such as above our quota
 */
export type MailFailureKind = 'rejected' | 'deferred' | 'unavailable'

/**
 * What `MailSender` throws. The reason is for the log: a code, never an address or the mail server's words, which can
 * contain one.
 */
export class MailFailure extends Error {
  override readonly name = 'MailFailure'
  readonly kind: MailFailureKind
  readonly reason: string

  constructor(kind: MailFailureKind, reason: string) {
    super(`mail ${kind}: ${reason}`)
    this.kind = kind
    this.reason = reason
  }
}

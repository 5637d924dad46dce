import type { SendMailOptions } from 'nodemailer'
import { type Mail, MailFailure } from './mail-sender.ts'

/**
 * The e-mail as nodemailer takes it. A name or address is never parsed as a list of addresses, and nodemailer encodes
 * every header, so that a partner's name cannot add one. The same e-mail always becomes the same bytes. Throws
 * `MailFailure` for text that is not one address, which nodemailer would send in part.
 */
export function messageOf({ mailId, to, subject, text, date, ...mail }: Mail, from: string): SendMailOptions {
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
    ...(mail.attachment === undefined ? {} : { attachments: [attachmentOf(mail.attachment)], baseBoundary: mailId }),
    // Mail programs that answer by themselves, such as during holidays, do not answer this (RFC 3834).
    headers: { 'Auto-Submitted': 'auto-generated' },
    disableFileAccess: true,
    disableUrlAccess: true,
  }
}

function attachmentOf({ name, type, bytes }: NonNullable<Mail['attachment']>) {
  return { filename: name, contentType: type, content: bytes, contentDisposition: 'attachment' as const }
}

import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { assertNoOpenTransaction } from '../db/open-transaction.ts'
import { makeFolder } from '../kernel/make-folder.ts'
import { MailFailure, type MailSender, messageOf } from './mail-sender.ts'

/**
 * Writes each e-mail to a file of its own (RFC 5322, `.eml`), which mail programs open. Only the owner can read them.
 * Sending an e-mail again replaces its file, and no reader ever sees half of one.
 */
export function createFileSender({ folder, from }: { folder: string; from: string }): MailSender {
  return {
    async send(mail) {
      assertNoOpenTransaction('mail-sender')
      // Loaded with the first e-mail, because it takes a lot of memory.
      const { createTransport } = await import('nodemailer')
      const transport = createTransport({ streamTransport: true, buffer: true, newline: 'windows' })
      const { message } = await transport.sendMail(messageOf(mail, from))
      const file = join(folder, `${mail.mailId}.eml`)
      try {
        await makeFolder(folder, 0o700)
        await writeFile(`${file}.part`, message, { mode: 0o600 })
        await rename(`${file}.part`, file)
      } catch (error) {
        throw new MailFailure('unavailable', String((error as NodeJS.ErrnoException).code ?? 'unknown'))
      }
    },
  }
}

import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import type { MailSender } from '../../../src/platform/mail/mail-sender.ts'
import { createSmtpSender, type SmtpOptions } from '../../../src/platform/mail/smtp.ts'
import { createNameLookup } from '../../../src/platform/outbound/name-lookup.ts'
import '../../support/loopback-only.ts'

const file = (name: string) => readFileSync(new URL(`../../support/${name}`, import.meta.url), 'utf8')

/** The certificate of every mail server here, for `localhost` and 127.0.0.1. */
export const certificate = file('test-only-renewed-certificate.pem')

/** A real mail server on loopback, and what it has accepted. */
export interface MailServer {
  port: number
  received: { from: string; to: string[]; text: string; isSecure: boolean }[]
  /** A sender that uses it, without TLS or login unless given. */
  sender(options?: Partial<SmtpOptions>): MailSender
  stop(): Promise<void>
}

/** Stopped after the test. */
export async function startMailServer(t: TestContext, options: SMTPServerOptions = {}): Promise<MailServer> {
  const received: MailServer['received'] = []
  const server = new SMTPServer({
    authOptional: true,
    disableReverseLookup: true,
    cert: certificate,
    key: file('test-only-renewed-key.pem'),
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => void chunks.push(chunk))
      stream.on('end', () => {
        const { mailFrom, rcptTo } = session.envelope
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          text: Buffer.concat(chunks).toString('utf8'),
          isSecure: session.secure,
        })
        callback()
      })
    },
    ...options,
  })
  // A client that rejects the certificate ends the connection.
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.server.address() as AddressInfo
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= new Promise((resolve) => server.close(() => resolve()))
    return stopped
  }
  t.after(stop)
  return {
    port,
    received,
    stop,
    sender: (given) =>
      createSmtpSender({
        host: '127.0.0.1',
        port,
        tls: 'none',
        login: undefined,
        from: 'bills@example.com',
        lookup: createNameLookup(),
        ...given,
      }),
  }
}

/** How a mail server rejects a command. */
export function rejection(responseCode: number): Error {
  return Object.assign(new Error('not for contact@partner.example'), { responseCode })
}

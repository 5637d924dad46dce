import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Transporter } from 'nodemailer'
import { assertNoOpenTransaction } from '../db/open-transaction.ts'
import { MailFailure, type MailFailureKind, type MailSender, messageOf } from './mail-sender.ts'

/** A mail server, and how to talk to it. */
export interface SmtpOptions {
  host: string
  port: number
  /** `implicit`: from the first byte; `starttls`: required before anything is sent; `none`: never. */
  tls: 'implicit' | 'starttls' | 'none'
  login: { user: string; password: string } | undefined
  /** The address that e-mails come from. */
  from: string
  /** Resolves the host's name. */
  lookup: LookupFunction
  /** Certificates in PEM that are trusted instead of Node's own list; for tests. */
  trusted?: string
}

const connectMs = 10_000
const silenceMs = 30_000
const sendMs = 60_000

/**
 * Sends through a mail server, over a new connection for each e-mail. Connects only when there is something to send.
 */
export function createSmtpSender(options: SmtpOptions): MailSender {
  return {
    async send(mail) {
      assertNoOpenTransaction('mail-sender')
      const transport = await createTransporter(options)
      const signal = AbortSignal.timeout(sendMs)
      await transport.sendMail({ ...messageOf(mail, options.from), signal }).catch((error: unknown) => {
        throw asMailFailure(error)
      })
    },
  }
}

/** Logs in to the mail server without sending anything. Throws `MailFailure`. */
export async function checkSmtp(options: SmtpOptions): Promise<void> {
  const transport = await createTransporter(options)
  await transport.verify().catch((error: unknown) => {
    throw asMailFailure(error)
  })
}

/** Loads nodemailer with the first e-mail, because it takes a lot of memory. */
async function createTransporter({ host, port, tls, login, lookup, trusted }: SmtpOptions): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  return createTransport({
    host,
    port,
    secure: tls === 'implicit',
    requireTLS: tls === 'starttls',
    ignoreTLS: tls === 'none',
    tls: { minVersion: 'TLSv1.2', ...(trusted === undefined ? {} : { ca: trusted }) },
    ...(login === undefined ? {} : { auth: { user: login.user, pass: login.password }, forceAuth: true }),
    connectionTimeout: connectMs,
    greetingTimeout: connectMs,
    socketTimeout: silenceMs,
    // nodemailer would query name servers itself. This uses the lookup of all our connections, and tries every address.
    getSocket(_options, callback) {
      open({ host, port, lookup }).then(
        (connection) => callback(null, { connection }),
        (error: Error) => callback(error, false),
      )
    },
  })
}

function open(to: { host: string; port: number; lookup: LookupFunction }): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ ...to, autoSelectFamily: true })
    const timer = setTimeout(
      () => socket.destroy(Object.assign(new Error('too slow'), { code: 'ETIMEDOUT' })),
      connectMs,
    )
    socket.once('error', reject)
    socket.once('connect', () => {
      clearTimeout(timer)
      socket.off('error', reject)
      resolve(socket)
    })
    socket.once('close', () => clearTimeout(timer))
  })
}

/**
 * The members of nodemailer's errors that we use. Its messages contain what the server wrote, which can name the
 * recipient.
 */
interface SmtpError {
  code?: unknown
  originalCode?: unknown
  command?: unknown
  responseCode?: unknown
  response?: unknown
}

/**
 * What a permanent rejection of a recipient (`RCPT TO`) or of the e-mail (`DATA`) is about; the first that matches
 * decides, and otherwise it is about this e-mail. Enhanced status codes: RFC 3463, and what large servers make of them.
 */
const permanent: readonly { reply: RegExp; to?: 'RCPT TO' | 'DATA'; is: MailFailureKind }[] = [
  // A full mailbox can be emptied.
  { reply: /^5\d\d[ -]5\.2\.2\b/, is: 'deferred' },
  { reply: /^552\b(?![ -]5\.)/, to: 'RCPT TO', is: 'deferred' },
  // We have sent as much as we may today: Google 5.4.5, Microsoft 5.2.0 and 5.1.90.
  { reply: /^5\d\d[ -]5\.(?:4\.5|2\.0|1\.90)\b/, is: 'unavailable' },
  // We are to log in, or may not send to other domains.
  { reply: /^53[0458]\b|relay/i, is: 'unavailable' },
  // We, our domain or what we send is not trusted. To a recipient, 5.7.x can also mean their own rules.
  { reply: /^5\d\d[ -]5\.7\./, to: 'DATA', is: 'unavailable' },
  { reply: /^5\d\d[ -]5\.7\./, to: 'RCPT TO', is: 'deferred' },
]

function asMailFailure(error: unknown): MailFailure {
  const { code, originalCode, command, responseCode, response } = (error instanceof Error ? error : {}) as SmtpError
  const reply = typeof response === 'string' ? response : ''
  const [, status] = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(reply) ?? []
  const known = [code, originalCode, command, responseCode, status].filter(
    (part) => typeof part === 'number' || (typeof part === 'string' && /^[A-Z0-9][A-Z0-9_. -]{1,40}$/.test(part)),
  )
  const reason = known.length > 0 ? known.join(' ') : 'unknown'
  return new MailFailure(kindOf({ code, command, responseCode }, reply), reason)
}

function kindOf({ code, command, responseCode }: SmtpError, reply: string): MailFailureKind {
  const isTooLarge = /^5\d\d[ -]5\.3\.4\b/.test(reply) || (command === 'MAIL FROM' && responseCode === 552)
  if (isTooLarge || (code === 'EMESSAGE' && responseCode === undefined)) return 'rejected'
  const isOfMail = command === 'RCPT TO' || command === 'DATA'
  // 421: the server ends the connection, such as because we send too much.
  if (!isOfMail || typeof responseCode !== 'number' || responseCode === 421) return 'unavailable'
  if (responseCode < 500) return 'deferred'
  return permanent.find((each) => (each.to ?? command) === command && each.reply.test(reply))?.is ?? 'rejected'
}

import { connect, type LookupFunction, type Socket } from 'node:net'
import type { Transporter } from 'nodemailer'
import { assertNoOpenTransaction } from '../db/open-transaction.ts'
import { MailFailure, type MailSender, messageOf } from './mail-sender.ts'

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
}

/**
 * Commands whose permanent rejection is about this e-mail; that of any other, such as of the sender, is about the
 * configuration.
 */
const aboutTheMail = new Set(['RCPT TO', 'DATA'])

function asMailFailure(error: unknown): MailFailure {
  const { code, originalCode, command, responseCode } = (error instanceof Error ? error : {}) as SmtpError
  const known = [code, originalCode, command, responseCode].filter(
    (part) => typeof part === 'number' || (typeof part === 'string' && /^[A-Z][A-Z0-9_ -]{1,40}$/.test(part)),
  )
  const reason = known.length > 0 ? known.join(' ') : 'unknown'
  const isOfMail = typeof command === 'string' && aboutTheMail.has(command)
  if (!isOfMail || typeof responseCode !== 'number') return new MailFailure('unavailable', reason)
  return new MailFailure(responseCode >= 500 ? 'rejected' : 'deferred', reason)
}

import { join } from 'node:path'
import { isOnThisMachine } from './live-connections.ts'
import type { VariableReader } from './parse.ts'

/** How we e-mail partners. `none`: no e-mail is sent. */
export type MailConfig =
  | { transport: 'smtp'; from: string }
  | { transport: 'file'; from: string; folder: string }
  | { transport: 'none' }

/** What `SMTP_URL` says. */
export interface SmtpServer {
  host: string
  port: number
  /** `implicit`: from the first byte; `starttls`: required before anything is sent; `none`: on this machine only. */
  tls: 'implicit' | 'starttls' | 'none'
  login: { user: string; password: string } | undefined
}

/** Reads the settings and reports contradictions among them. Never quotes the URL: it may hold a password. */
export function readMail(
  read: VariableReader,
  { realm, dataDir }: { realm: 'sandbox' | 'live'; dataDir: string },
): MailConfig {
  const url = read.text('SMTP_URL')
  const from = read.text('MAIL_FROM')
  if (from !== undefined && !/^[^\s@<>",;:\\]{1,64}@[^\s@<>",;:\\]{1,189}$/.test(from))
    read.problems.push('MAIL_FROM must be one e-mail address and nothing else, such as bills@example.com')
  if (url === undefined) {
    if (from !== undefined) read.problems.push('MAIL_FROM is only used with SMTP_URL')
    return realm === 'live'
      ? { transport: 'none' }
      : { transport: 'file', from: 'housebill@localhost', folder: join(dataDir, 'mails') }
  }
  const server = parseSmtpUrl(url)
  if (typeof server === 'string') read.problems.push(server)
  if (from === undefined) read.problems.push('SMTP_URL needs MAIL_FROM, the address that e-mails come from')
  return { transport: 'smtp', from: from ?? '' }
}

/** Returns what is wrong with the URL, in words that do not quote it. */
export function parseSmtpUrl(text: string): SmtpServer | string {
  const url = URL.parse(text)
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    return 'SMTP_URL must start with smtp:// or smtps:// and name a host'
  if (!['', '/'].includes(url.pathname) || url.search !== '' || url.hash !== '')
    return 'SMTP_URL must be a URL without a path, query or fragment'
  if ((url.username === '') !== (url.password === ''))
    return 'SMTP_URL must have a user name and a password, or neither'
  const isImplicit = url.protocol === 'smtps:'
  const port = url.port === '' ? (isImplicit ? 465 : 587) : Number(url.port)
  if (port === 0) return 'SMTP_URL must have a port from 1 to 65535'
  if (port === 465 && !isImplicit) return 'SMTP_URL must start with smtps:// for port 465'
  const login = loginOf(url)
  if (login === null) return 'SMTP_URL must have percent-encoded special characters in its user name and password'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  return { host, port, tls: isImplicit ? 'implicit' : isOnThisMachine(host) ? 'none' : 'starttls', login }
}

/** Undefined without a user name; null if it is not percent-encoded as it must be. */
function loginOf({ username, password }: URL): SmtpServer['login'] | null {
  if (username === '') return undefined
  try {
    return { user: decodeURIComponent(username), password: decodeURIComponent(password) }
  } catch {
    return null
  }
}

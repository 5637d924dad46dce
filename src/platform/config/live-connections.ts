import { isIP } from 'node:net'
import { allDatabaseUrls, urlPerHost } from './database-urls.ts'
import type { VariableReader } from './parse.ts'

const broadbandUrls = ['HOME_TELECOM_URL', 'BROADBAND_DATABASE_URL'] as const

/**
 * Lists the connections of a live deployment that somebody on the network could read or change: to the database
 * without TLS, and to suppliers over plain HTTP. Connections on this machine need neither. Never quotes a URL: it may
 * hold a password.
 */
export function liveConnectionProblems(read: VariableReader): string[] {
  const problems: string[] = []
  for (const name of allDatabaseUrls) {
    if (!read.has(name)) continue
    const hosts = urlPerHost(read.text(name) ?? '').map(readDatabaseUrl)
    if (hosts.some(({ host, sslMode }) => !isOnThisMachine(host) && sslMode !== 'verify-full'))
      problems.push(
        `HOUSEBILL_ENV=live needs ?sslmode=verify-full in ${name}, unless its host is this machine: localhost, or a socket's folder in ?host=; sslrootcert=FILE names the certificate authority of the database`,
      )
  }
  for (const name of broadbandUrls) {
    const url = URL.parse(read.text(name) ?? '')
    if (url === null) continue
    if (url.protocol === 'http:' && !isOnThisMachine(url.hostname))
      problems.push(`HOUSEBILL_ENV=live needs an https ${name}, or one on this machine`)
    if (url.username + url.password !== '')
      problems.push(
        `HOUSEBILL_ENV=live needs a ${name} without user name and password: let an adapter on this machine add them, such as http://127.0.0.1:8081`,
      )
  }
  return problems
}

/**
 * The URL as the driver reads it: it may have no host after the user name, and the last of repeated parameters counts.
 * Without a host, the driver connects to the machine in PGHOST.
 */
function readDatabaseUrl(text: string): { host: string; sslMode: string | undefined } {
  const url = URL.parse(text) ?? URL.parse(text.replace('@/', '@host-in-pghost/'))
  const last = (name: string) => url?.searchParams.getAll(name).at(-1)
  return { host: last('host') || url?.hostname || 'host-in-pghost', sslMode: last('sslmode') }
}

/** Whether a host of a URL is this machine. One that is a folder stands for a Unix socket. */
export function isOnThisMachine(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '')
  if (address.startsWith('/') || address === 'localhost') return true
  return isIP(address) !== 0 && (address.startsWith('127.') || address === '::1')
}

import { type Client, DatabaseError } from 'pg'
import { CommandError } from '../kernel/command-error.ts'
import { connectWithinMs, ReadOnlyServerError, withClient } from './hosts.ts'
import { readServerVersion, requireServerVersion } from './migration-error.ts'
import { requireCollation, requireSettings, storeRequiredSettings } from './required-settings.ts'

/** A login of the service, and the variable that names it. */
export interface NamedLogin {
  variable: string
  connectionString: string
}

/**
 * Connects once with each login, before anything else does. Throws CommandError, which names the variable and the
 * remedy, if one cannot connect, if they lead to different databases, if an update of the system would corrupt its
 * indexes, or if their sessions have settings that the service cannot work with. With `isPreparing`, stores the
 * settings first; without `withSettings`, leaves them alone.
 */
export async function connectLogins(
  logins: readonly NamedLogin[],
  { isPreparing, withSettings = true }: { isPreparing: boolean; withSettings?: boolean },
): Promise<void> {
  // One after the other: the first failure is the one to fix.
  let first: { variable: string; identity: string } | undefined
  for (const { variable, connectionString } of logins) {
    const connect = <Result>(work: (client: Client) => Promise<Result>) =>
      withClient(connectionString, work).catch((error: unknown) => {
        throw explainConnectionFailure(error, variable)
      })
    await connect(async (client) => {
      requireServerVersion(await readServerVersion(client))
      await requireCollation(client, variable)
      if (isPreparing) await storeRequiredSettings(client)
    })
    const identity = await connect(async (client) => {
      if (withSettings) await requireSettings(client, variable)
      return identify(client)
    })
    first ??= { variable, identity }
    if (identity !== first.identity)
      throw new CommandError(
        'database',
        `${variable} leads to another database than ${first.variable}. Give all of these URLs the same server and the same database.`,
      )
  }
}

/** A text that only sessions of the same database of the same server have in common, whichever way they came. */
async function identify(client: Client): Promise<string> {
  const { rows } = await client.query<{ identity: string }>(
    `select concat_ws(' ', oid, pg_postmaster_start_time()) as identity from pg_database where datname = current_database()`,
  )
  return rows[0]?.identity ?? ''
}

/** The SQLSTATEs with which PostgreSQL rejects a connection. */
const rejections = /^(08|28|3D)|^57P03$|^53300$/
/** How the driver says that its time limit for connecting has passed. */
const timeout = /^timeout (expired|exceeded when trying to connect)$|^Connection terminated due to connection timeout$/
const unreachable = new Set(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'EPIPE'])
const unknownHost = new Set(['ENOTFOUND', 'EAI_AGAIN'])

/**
 * Turns an error of connecting into one that names the variable and the remedy; returns other errors unchanged. Never
 * quotes the URL.
 */
function explainConnectionFailure(error: unknown, variable: string): unknown {
  const message = describe(error, variable)
  return message === undefined ? error : new CommandError('database', message)
}

function describe(error: unknown, variable: string): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code = '', message } = error as NodeJS.ErrnoException
  if (error instanceof ReadOnlyServerError)
    return `No server in ${variable} accepts writes at the moment (target_session_attrs=read-write). Check that one of them is the primary.`
  if (error instanceof DatabaseError)
    return rejections.test(code)
      ? `The database rejected the connection: ${message}. Check ${variable} and the privileges of the user in it.`
      : undefined
  if (unknownHost.has(code))
    return `The host in ${variable} cannot be found (${code}). Check the host's name and the name server.`
  if (code === 'ENOENT')
    return `The database cannot be reached (ENOENT): the socket or file that ${variable} names does not exist. Check ?host= and ?sslrootcert=, and check that the server is running.`
  if (unreachable.has(code))
    return `The database cannot be reached (${code}). Check ${variable}, and check that the server is running.`
  if (timeout.test(message))
    return `The database did not respond within ${connectWithinMs / 1_000} seconds. Check ${variable}, and check that the server is running.`
  if (/does not support SSL connections/.test(message))
    return `The server in ${variable} does not offer TLS. Turn on ssl in postgresql.conf, or use sslmode=disable for a server on this machine.`
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate of the server in ${variable} is for another host name. Use the name in the certificate, or give the server a certificate for this one.`
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return `The certificate of the server in ${variable} is not valid today (${code}). Renew it, and check this machine's clock.`
  if (/^(DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|CERT_)/.test(code))
    return `The certificate of the server in ${variable} is not trusted (${code}). Name its certificate authority with sslrootcert=FILE in ${variable}.`
  if (/^(ERR_SSL_|ERR_OSSL_|ERR_TLS_|EPROTO)/.test(code))
    return `TLS with the server in ${variable} failed (${code}). Check sslrootcert, sslcert and sslkey in ${variable}, and the TLS versions of the server.`
  return undefined
}

import { Client } from 'pg'
import type { Config } from '../platform/config/config.ts'
import type { Secrets } from '../platform/config/secrets.ts'
import { invocation } from './invocation.ts'
import { printError } from './print.ts'

/**
 * Says on standard error which deployment and database the command works on, so that nobody takes the answer of one for
 * that of another. With --json, the output says it.
 */
export function nameDeployment(
  { realm, server, dataDir }: Config,
  { databaseUrl }: Pick<Secrets, 'databaseUrl'>,
): void {
  const call = invocation()
  const named = { environment: realm, publicUrl: server.publicUrl, database: nameDatabase(databaseUrl, dataDir) }
  call.deployment = named
  if (call.asJson) return
  printError(`Deployment: ${named.environment} at ${named.publicUrl}. Database: ${named.database}.`)
}

function nameDatabase(url: string | undefined, dataDir: string): string {
  if (url === undefined) return `private, in ${dataDir}`
  const { host, port, database } = new Client({ connectionString: url })
  return `${database} at ${host.startsWith('/') ? host : `${host}:${port}`}`
}

import { Client } from 'pg'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'

/** The deployment that a command works on. */
export interface Deployment {
  environment: string
  publicUrl: string
  database: string
}

let named: Deployment | undefined

/** The deployment that answers; undefined if the command uses none. Part of every JSON output. */
export function answeringDeployment(): Deployment | undefined {
  return named
}

/**
 * Says on standard error which deployment and database the command works on, so that nobody takes the answer of one for that of another.
 * With --json, the output says it.
 */
export function nameDeployment(
  { realm, server, dataDir }: Config,
  { databaseUrl }: Pick<Secrets, 'databaseUrl'>,
): void {
  named = { environment: realm, publicUrl: server.publicUrl, database: nameDatabase(databaseUrl, dataDir) }
  if (process.argv.includes('--json')) return
  console.error(`Deployment: ${named.environment} at ${named.publicUrl}. Database: ${named.database}.`)
}

function nameDatabase(url: string | undefined, dataDir: string): string {
  if (url === undefined) return `private, in ${dataDir}`
  const { host, port, database } = new Client({ connectionString: url })
  return `${database} at ${host.startsWith('/') ? host : `${host}:${port}`}`
}

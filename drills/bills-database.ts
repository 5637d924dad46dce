import { Client } from 'pg'

/** A database with the three logins of docs/configuration.md ("Three logins"), and without passwords. */
export interface BillsDatabase {
  superuser: string
  /** The connection string of one of its logins, or of another database. */
  connectionTo(login: string, database?: string): string
  /** The three settings that lead the service to it. */
  urls: Record<'DATABASE_URL' | 'DATABASE_SYSTEM_URL' | 'DATABASE_OWNER_URL', string>
}

/** Creates the logins and the database on a server, with its superuser's connection string. */
export async function createBillsDatabase(connectionString: string): Promise<BillsDatabase> {
  const { username: superuser } = new URL(connectionString)
  const connectionTo = (login: string, database = 'bills') => {
    const url = new URL(connectionString)
    url.username = login
    url.pathname = `/${database}`
    return url.href
  }
  const client = new Client({ connectionString: connectionTo(superuser, 'postgres') })
  await client.connect()
  try {
    for (const statement of [
      'create role bills_owner login createrole',
      'create role bills_app login',
      'create role bills_system login',
      "create database bills owner bills_owner template template0 encoding 'UTF8' locale_provider builtin builtin_locale 'C.UTF-8' locale 'C'",
      'revoke connect on database bills from public',
      'grant connect on database bills to bills_app, bills_system',
    ])
      await client.query(statement)
  } finally {
    await client.end()
  }
  const urls = {
    DATABASE_URL: connectionTo('bills_app'),
    DATABASE_SYSTEM_URL: connectionTo('bills_system'),
    DATABASE_OWNER_URL: connectionTo('bills_owner'),
  }
  return { superuser, connectionTo, urls }
}

import { Client } from 'pg'
import { processExists } from '../../src/platform/private-postgres/process-life.ts'

/** A database that test databases are cloned from. */
export interface Template {
  /** Identifies the contents: a template with different migrations needs a different name. */
  name: string
  /** The template that this one is cloned from. By default, an empty database. */
  from?: string
  connectionTo: (database: string) => string
  /** Adds the contents to the template. Must close every connection that it opens. */
  fill: (connectionString: string) => Promise<unknown>
}

/** The advisory lock in the database `postgres`. The number is arbitrary, but nothing else may use it. */
const lock = '72084519, 2'

/**
 * Creates the template database unless it exists, and returns its name. If several processes call this at once, one
 * creates the template and the others wait. The template gets its final name when it is complete.
 */
export async function ensureTemplate({ name, from = 'template1', connectionTo, fill }: Template): Promise<string> {
  const client = new Client({ connectionString: connectionTo('postgres') })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${lock})`)
    const databases = await listDatabases(client)
    await dropLeftovers(client, databases, [name, from])
    if (databases.some((database) => database.name === name)) return name
    const unfinished = `${name}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished} template ${from}`)
    await fill(connectionTo(unfinished))
    await client.query(`alter database ${unfinished} rename to ${name}`)
    return name
  } finally {
    await client.end()
  }
}

interface Database {
  name: string
  ageSeconds: number
}

async function listDatabases(client: Client): Promise<Database[]> {
  const { rows } = await client.query<Database>(
    // The file is missing while another process drops the database.
    `select datname as name,
            coalesce(extract(epoch from now() - (pg_stat_file('base/' || oid || '/PG_VERSION', true)).modification),
              0)::float8
              as "ageSeconds"
       from pg_database where starts_with(datname, 'housebill_')`,
  )
  return rows
}

/**
 * Drops the databases of processes that have ended, and templates that are so old that no current run can be using
 * them.
 */
async function dropLeftovers(client: Client, databases: readonly Database[], inUse: readonly string[]): Promise<void> {
  for (const { name, ageSeconds } of databases) {
    const owner = /^housebill_test_(\d+)_/.exec(name)?.[1]
    const abandoned =
      owner === undefined
        ? name.startsWith('housebill_template_') && !inUse.includes(name) && ageSeconds > 3_600
        : !processExists(Number(owner))
    if (abandoned) await client.query(`drop database if exists ${name} with (force)`)
  }
}

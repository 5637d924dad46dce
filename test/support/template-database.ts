import { Client } from 'pg'
import { isAlive } from '../../private-postgres/process-life.ts'

interface Wish {
  /** Made from what goes in: other migrations, another name. */
  name: string
  connectionTo: (database: string) => string
  /** Brings an empty database to the state the clones begin with, and closes its connections. */
  fill: (connectionString: string) => Promise<unknown>
}

/** Any number that nobody else uses for an advisory lock in the database `postgres`. */
const lock = '72084519, 2'

/**
 * Makes the template database if it is not there yet and returns its name. Of several processes at once one makes it and
 * the others wait. It appears under its name when it is complete.
 */
export async function ensureTemplate({ name, connectionTo, fill }: Wish): Promise<string> {
  const client = new Client({ connectionString: connectionTo('postgres') })
  await client.connect()
  try {
    await client.query(`select pg_advisory_lock(${lock})`)
    const databases = await listDatabases(client)
    await dropLeftovers(client, databases, name)
    if (databases.some((database) => database.name === name)) return name
    const unfinished = `${name}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(`create database ${unfinished}`)
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
    // Another process may be dropping one of them: its file is then missing, and it is none of ours to drop.
    `select datname as name,
            coalesce(extract(epoch from now() - (pg_stat_file('base/' || oid || '/PG_VERSION', true)).modification), 0)::float8
              as "ageSeconds"
       from pg_database where starts_with(datname, 'housebill_')`,
  )
  return rows
}

/** Test databases of processes that are gone, and templates of earlier migrations that no other run will want now. */
async function dropLeftovers(client: Client, databases: readonly Database[], current: string): Promise<void> {
  for (const { name, ageSeconds } of databases) {
    const owner = /^housebill_test_(\d+)_/.exec(name)?.[1]
    const abandoned =
      owner === undefined
        ? name.startsWith('housebill_template_') && name !== current && ageSeconds > 3_600
        : !isAlive(Number(owner))
    if (abandoned) await client.query(`drop database if exists ${name} with (force)`)
  }
}

import type { Client } from 'pg'
import packageFile from 'pg-boss/package.json' with { type: 'json' }
import { MigrationError } from './migration-error.ts'

/** Where the job library keeps its tables, apart from ours. */
export const jobSchema = 'pgboss'

/** The form of those tables that the installed library works with. */
export const jobSchemaVersion = packageFile.pgboss.schema

/**
 * The SQL that makes the job library's tables, or brings them to the installed library's form, as the library gives it out for
 * this: at run time it then needs no right to change structure. Undefined where all is well, which costs two small queries
 * and does not load the library. To be applied in one transaction. Throws MigrationError where the tables are newer than the
 * library.
 */
export async function planJobSchema(client: Client): Promise<string | undefined> {
  const present = await presentVersion(client)
  if (present === jobSchemaVersion) return undefined
  if (present !== undefined && present > jobSchemaVersion) {
    throw new MigrationError(
      `The database has version ${present} of the job tables, but this version of Housebill supports ${jobSchemaVersion}. Run the version that created them, or a newer one.`,
    )
  }
  const { getConstructionPlans, getMigrationPlans } = await import('pg-boss')
  const plan = present === undefined ? getConstructionPlans(jobSchema) : getMigrationPlans(jobSchema, present)
  return asOneTransaction(plan)
}

async function presentVersion(client: Client): Promise<number | undefined> {
  const found = await client.query<{ present: boolean }>(
    `select to_regclass('${jobSchema}.version') is not null as present`,
  )
  if (found.rows[0]?.present !== true) return undefined
  const { rows } = await client.query<{ version: number }>(`select version from ${jobSchema}.version`)
  return rows[0]?.version
}

/**
 * As it is given out, a transaction is followed by indexes that are built concurrently: a start that is killed between the
 * two would leave the new version without them. The tables hold some thousand rows at most, so that building an index
 * inside the transaction takes a moment.
 */
function asOneTransaction(plan: string): string {
  return plan.replaceAll(/^\s*(BEGIN|COMMIT);$/gm, '').replaceAll(/\bINDEX CONCURRENTLY\b/g, 'INDEX')
}

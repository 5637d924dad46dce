import { selectMigrationBeyond } from './applied-migrations.store.ts'
import type { Databases } from './databases.ts'
import { readMigrations } from './read-migrations.ts'

/**
 * The name of a migration that a newer version of the program has applied to the database; undefined if this version
 * knows them all.
 * `known` are the migrations of this version, by default those of its files.
 */
export async function findNewerMigration(
  { databases }: { databases: Databases },
  known?: readonly string[],
): Promise<string | undefined> {
  return selectMigrationBeyond(databases.system, known ?? (await readMigrations()).map(({ name }) => name))
}

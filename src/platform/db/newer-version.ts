import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import { selectMigrationBeyond } from './applied-migrations.store.ts'
import type { Databases } from './databases.ts'

const migrationsFolder = new URL('../../../migrations/', import.meta.url)

/** docs/upgrading.md says what a file of migrations/ may contain. */
export interface Migration {
  name: string
  text: string
  sha256: string
  /** Whether the version before works with the schema that this one makes. */
  expands: boolean
  /** Whether live does without it. */
  isForSandbox: boolean
  /** Whether it builds an index while others write, which no transaction can. */
  isConcurrent: boolean
}

/** @internal Tests make migrations up. */
export function migrationOf(name: string, text: string): Migration {
  const [header = ''] = /^(--.*\n)*/.exec(text) ?? []
  return {
    name,
    text,
    sha256: createHash('sha256').update(text).digest('hex'),
    isForSandbox: /^-- sandbox only$/m.test(header),
    expands: /^-- expands\b/m.test(header),
    isConcurrent: /^-- concurrently\b/m.test(header),
  }
}

/** The numbered migrations that a database of this realm has, in order. */
export async function readMigrations(realm: 'sandbox' | 'live'): Promise<Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort()
  const all = await Promise.all(
    names.map(async (name) => migrationOf(name, await readFile(new URL(name, migrationsFolder), 'utf8'))),
  )
  return all.filter(({ isForSandbox }) => realm === 'sandbox' || !isForSandbox)
}

/** The pause between two looks at the applied migrations. */
const pauseMs = 2_000

/** Looks for a newer version of the program that works on the same database. */
interface NewerVersionWatch {
  /** Whether there is one. This process then no longer fits the database, and never will again. */
  isFound(): boolean
  stop(): Promise<void>
}

/**
 * Looks every two seconds. When a newer version has migrated the database, and not only expanded it, says so once and
 * calls `stopWork`: statements of this version may fail from then on, or write what the newer one does not expect.
 */
export function watchForNewerVersion(
  { databases, log }: { databases: Databases; log: Logger },
  stopWork: () => Promise<unknown>,
): NewerVersionWatch {
  const stopping = new AbortController()
  const { signal } = stopping
  let isFound = false

  async function look(): Promise<void> {
    // If the database cannot be reached, everything else that uses it says so.
    const migration = await findNewerMigration({ databases }).catch(() => undefined)
    if (migration === undefined || signal.aborted) return
    isFound = true
    log.fatal(
      { migration },
      'a newer version of Housebill has migrated the database: this process takes no more work. Stop it, and run the newer version only',
    )
    await stopWork()
    log.info('this process has stopped its work')
  }

  const running = (async () => {
    while (!signal.aborted && !isFound) {
      await look()
      await sleep(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  })()
  return {
    isFound: () => isFound,
    async stop() {
      stopping.abort()
      await running
    },
  }
}

/**
 * The name of a migration that a newer version of the program has applied to the database; undefined if this version
 * works with all of them.
 * `known` are the migrations of this version, by default those of its files.
 */
async function findNewerMigration(
  { databases }: { databases: Databases },
  known?: readonly string[],
): Promise<string | undefined> {
  return selectMigrationBeyond(databases.system, known ?? (await readMigrations('sandbox')).map(({ name }) => name))
}

import type { Command } from 'commander'
import type { PlannedMigration } from '../platform/db/migrate.ts'
import { type JsonOption, jsonOption, printJson } from './json-option.ts'
import { print } from './print.ts'

interface MigrateOptions extends JsonOption {
  plan?: true
}

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description(
      'Migrate the database to this version, as every start of the server does. Creates tables only in the database of DATABASE_URL. Safe to repeat.',
    )
    .option('--plan', 'only show which migrations would run and which locks they take')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
With --plan, the migrations run and are rolled back, so that the locks are those that PostgreSQL takes. A statement that waits or
works for longer than two seconds ends the plan. Whoever uses the same tables waits meanwhile: on a busy database, plan at a quiet time.`,
    )
    .action(async ({ json, plan }: MigrateOptions) => (plan ? showPlan(json) : applyMigrations(json)))
}

async function applyMigrations(json: true | undefined): Promise<void> {
  const { withDatabase } = await import('./with-database.ts')
  const applied = await withDatabase('migrate', async ({ migrationsApplied }) => migrationsApplied, {
    isMigrating: true,
  })
  if (json) printJson({ applied })
  else if (applied.length === 0) print('The database is up to date. No migrations were needed.')
  else print(`Migrations applied:\n${applied.map((name) => `  ${name}`).join('\n')}`)
}

async function showPlan(json: true | undefined): Promise<void> {
  const { planMigration } = await import('./with-database.ts')
  const pending = await planMigration()
  if (json) printJson({ pending: pending.map((each) => ({ ...each, locks: each.locks.map(withEffect) })) })
  else if (pending.length === 0) print('The database is up to date. No migration would run.')
  else print(`Migrations that would run:\n${pending.map(describe).join('\n')}`)
}

function describe({ name, expands, isConcurrent, locks }: PlannedMigration): string {
  const how = isConcurrent ? 'builds an index while others write' : 'in one transaction'
  const before = expands ? 'the version before goes on working' : 'processes of the version before stop their work'
  const lines = locks.map(withEffect).map(({ table, mode, effect }) => `    ${table}: ${mode}, ${effect}`)
  return [`  ${name}: ${how}; ${before}`, ...(lines.length > 0 ? lines : ['    no table that exists is locked'])].join(
    '\n',
  )
}

/** What each lock means for others. The rest of PostgreSQL's locks let reads and writes go on. */
const effects: Readonly<Record<string, string>> = {
  AccessExclusiveLock: 'reads and writes wait',
  ExclusiveLock: 'writes wait',
  ShareRowExclusiveLock: 'writes wait',
  ShareLock: 'writes wait',
}

function withEffect(lock: PlannedMigration['locks'][number]) {
  return { ...lock, effect: effects[lock.mode] ?? 'nobody waits' }
}

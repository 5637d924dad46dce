import type { Command } from 'commander'
import { type JsonOption, jsonOption, printJson } from './json-option.ts'
import { print } from './print.ts'

export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description(
      'Migrate the database to this version, as every start of the server does. Creates tables only in the database of DATABASE_URL. Safe to repeat.',
    )
    .addOption(jsonOption())
    .action(async ({ json }: JsonOption) => {
      const { withDatabase } = await import('./with-database.ts')
      const applied = await withDatabase('migrate', async ({ migrationsApplied }) => migrationsApplied, {
        isMigrating: true,
      })
      if (json) printJson({ applied })
      else if (applied.length === 0) print('The database is up to date. No migrations were needed.')
      else print(`Migrations applied:\n${applied.map((name) => `  ${name}`).join('\n')}`)
    })
}

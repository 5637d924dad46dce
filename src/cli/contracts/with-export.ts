import { composeCipher } from '../../compose/compose.ts'
import { placeOfCursor } from '../../domain/contract-feed/feed-cursor.ts'
import type { ExportDependencies } from '../../domain/export-files/export-file.ts'
import { CommandError } from '../../kernel/command-error.ts'
import { withDatabase } from '../with-database.ts'

/** Runs a command that reads the contracts of all partners. */
export function withExport<Result>(
  command: string,
  use: (deps: ExportDependencies) => Promise<Result>,
): Promise<Result> {
  return withDatabase(command, async ({ databases, db, secrets }) =>
    use({ db: databases.system, system: db, cipher: await composeCipher(db, secrets), now: new Date() }),
  )
}

/** Throws `wrong_cursor` if the value of `--since` is no cursor. */
export function requireCursor(since: string | undefined): void {
  if (since !== undefined && placeOfCursor(since) === undefined)
    throw new CommandError('wrong_cursor', 'The value of --since is no cursor of an export. Use it as it was printed.')
}

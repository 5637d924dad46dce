import { composeCipher } from '../../app/compose.ts'
import { decodeFeedCursor } from '../../back-office/contract-feed/feed-cursor.ts'
import type { ExportDependencies } from '../../back-office/export-files/export-file.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
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
  if (since !== undefined && decodeFeedCursor(since) === undefined)
    throw new CommandError('wrong_cursor', 'The value of --since is no cursor of an export. Use it as it was printed.')
}

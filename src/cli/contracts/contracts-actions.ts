import { open } from 'node:fs/promises'
import { composeCipher } from '../../app/compose.ts'
import { decodeFeedCursor } from '../../back-office/contract-feed/feed-cursor.ts'
import { exportText } from '../../back-office/export-files/csv.ts'
import { type ExportDependencies, exportColumns, exportPages } from '../../back-office/export-files/export-file.ts'
import type { ExportFormat, ExportKind, ExportPage } from '../../back-office/export-files/export-page.ts'
import { CommandError } from '../../platform/kernel/command-error.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { invocation } from '../invocation.ts'
import { type JsonOption, print, printError, printJson } from '../print.ts'
import { formatCount } from '../table.ts'
import { withDatabase } from '../with-database.ts'

/** Runs a command that reads the contracts of all partners. */
function withExport<Result>(command: string, use: (deps: ExportDependencies) => Promise<Result>): Promise<Result> {
  return withDatabase(command, async ({ db, secrets }) =>
    use({ db, cipher: await composeCipher(db, secrets), now: new Date() }),
  )
}

/** Throws `wrong_cursor` if the value of `--since` is no cursor. */
function requireCursor(since: string | undefined): void {
  if (since !== undefined && decodeFeedCursor(since) === undefined)
    throw new CommandError('wrong_cursor', 'The value of --since is no cursor of an export. Use it as it was printed.')
}

export interface ExportOptions extends JsonOption {
  kind: ExportKind
  format: ExportFormat
  /** The path of a new file, or `-` for standard output. */
  out: string
  bom?: true
  since?: string
  dueBefore?: IsoDate
}

/** The pause between two lines of progress. */
const progressMs = 2_000

/** Where an export is written. */
interface Output {
  write(text: string): Promise<unknown>
  /** Called after everything was written. */
  finish(): Promise<void>
  close(): Promise<void>
}

/** `contracts export`: writes in batches, so memory use does not grow with the number of contracts. */
export async function exportContracts(options: ExportOptions): Promise<void> {
  const { kind, format, out, bom, json, ...request } = options
  requireCursor(request.since)
  if (request.since !== undefined && kind === 'payments')
    throw new CommandError('wrong_cursor', 'The file of payments always has all that are due. Leave out --since.')
  const output = out === '-' ? standardOutput : await createFile(out)
  try {
    const { lines, cursor } = await withExport('contracts export', async (deps) => {
      // If both are the terminal, progress would be in the middle of the file.
      const report = createProgress({ isQuiet: json === true || (out === '-' && invocation().stdout.isTTY === true) })
      const written: { lines: number; cursor: string | null } = { lines: 0, cursor: null }
      for await (const part of exportText(exportPages(deps, kind, request), exportColumns[kind], format, { bom })) {
        await output.write(part.text)
        written.lines += part.lines
        written.cursor = part.page?.cursor ?? written.cursor
        if (part.page !== undefined) report(part.page, written.lines)
      }
      return written
    })
    await output.finish()
    if (json) printJson({ file: out, lines, ...(cursor === null ? {} : { cursor }) })
    else {
      const next = cursor === null ? '' : ` For what changes from now on, export with --since ${cursor}`
      const done = `${out === '-' ? 'The file' : out} has ${formatCount(lines)} lines.${next}`
      if (out === '-') printError(done)
      else print(done)
    }
  } catch (error) {
    // The program that reads our output may stop early, as `head` does.
    if (out !== '-' || (error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  } finally {
    await output.close()
  }
}

const standardOutput: Output = {
  write: (text) =>
    new Promise<void>((resolve, reject) => {
      invocation().stdout.write(text, (error) => (error ? reject(error) : resolve()))
    }),
  finish: async () => undefined,
  close: async () => undefined,
}

async function createFile(path: string): Promise<Output> {
  const file = await open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      'file_not_created',
      error.code === 'EEXIST'
        ? `${path} exists already. Choose another name, or remove it.`
        : `${path} cannot be created. Check the folder and its rights.`,
    )
  })
  return { write: (text) => file.write(text), finish: () => file.sync(), close: () => file.close() }
}

/** Prints how far the export is to standard error, every few seconds: percent, lines a second and the time left. */
function createProgress({ isQuiet }: { isQuiet: boolean }): (page: ExportPage, lines: number) => void {
  const startedAt = performance.now()
  let printedAt = startedAt
  return ({ share, cursor }, lines) => {
    const now = performance.now()
    if (isQuiet || now - printedAt < progressMs) return
    printedAt = now
    const seconds = (now - startedAt) / 1_000
    const left = share === 0 ? 0 : (seconds * (1 - share)) / share
    const rate = formatCount(Math.round(lines / seconds))
    const resume = cursor === null ? '' : `; to continue later: --since ${cursor}`
    printError(
      `${Math.floor(share * 100)} %, ${formatCount(lines)} lines, ${rate} a second, ${Math.ceil(left)} s left${resume}`,
    )
  }
}

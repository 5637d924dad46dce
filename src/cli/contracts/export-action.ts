import { type FileHandle, open } from 'node:fs/promises'
import { composeCipher } from '../../compose/compose.ts'
import { feedCursor, placeOfCursor } from '../../domain/contract-feed/feed-cursor.ts'
import { type FeedPage, readContractFeed } from '../../domain/contract-feed/read-contract-feed.ts'
import { CommandError } from '../../kernel/command-error.ts'
import { type JsonOption, printJson } from '../json-option.ts'
import { formatCount } from '../table.ts'
import { withDatabase } from '../with-database.ts'
import { csvLine } from './csv.ts'
import { type ExportKind, type ExportKindName, exportKinds } from './export-files.ts'

export interface ExportOptions extends JsonOption {
  kind: ExportKindName
  format: 'csv' | 'ndjson'
  out: string
  since?: string
}

/** How many contracts are read in one transaction. */
const batchSize = 1_000
/** The pause between two lines of progress. */
const progressMs = 2_000

/** `contracts export`: writes in batches, so memory use does not grow with the number of contracts. */
export async function exportContracts({ kind: kindName, format, out, since, json }: ExportOptions): Promise<void> {
  const kind: ExportKind = exportKinds[kindName]
  const start = since === undefined ? undefined : placeOfCursor(since)
  if (since !== undefined && start === undefined)
    throw new CommandError('wrong_cursor', 'The value of --since is no cursor of an export. Use it as it was printed.')
  const file = await create(out)
  try {
    const result = await withDatabase('contracts export', async ({ databases, db, secrets }) => {
      const deps = { db: databases.forOperator(), system: db, cipher: await composeCipher(db, secrets) }
      const report = createProgress(json)
      if (format === 'csv') await file.write(csvLine(kind.columns))
      let lines = 0
      for (let place = start; ; ) {
        const page = await readContractFeed(deps, { after: place, limit: batchSize, selection: kind.selection })
        const rows = page.entries.flatMap(({ record }) => kind.rows(record))
        await file.write(rows.map((row) => lineOf(row, kind, format)).join(''))
        lines += rows.length
        place = page.next
        report(page, lines)
        if (!page.hasMore) return { lines, cursor: feedCursor(place) }
      }
    })
    await file.sync()
    if (json) printJson({ file: out, ...result })
    else
      console.log(
        `${out} has ${formatCount(result.lines)} lines. For what changes from now on, export with --since ${result.cursor}`,
      )
  } finally {
    await file.close()
  }
}

async function create(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      'file_not_created',
      error.code === 'EEXIST'
        ? `${path} exists already. Choose another name, or remove it.`
        : `${path} cannot be created. Check the folder and its rights.`,
    )
  })
}

function lineOf(
  row: Readonly<Record<string, string | number | boolean | null>>,
  kind: ExportKind,
  format: string,
): string {
  const cells = kind.columns.map((column) => [column, row[column] ?? null] as const)
  return format === 'csv' ? csvLine(cells.map(([, cell]) => cell)) : `${JSON.stringify(Object.fromEntries(cells))}\n`
}

/** Prints how far the export is to standard error, every few seconds: percent, lines a second and the time left. */
function createProgress(json: true | undefined): (page: FeedPage, lines: number) => void {
  const startedAt = performance.now()
  let printedAt = startedAt
  let first: bigint | undefined
  return ({ next, lastPosition }, lines) => {
    const position = BigInt(next.position)
    first ??= position
    const now = performance.now()
    if (json || now - printedAt < progressMs) return
    printedAt = now
    const seconds = (now - startedAt) / 1_000
    const share = Number(position) / Number(lastPosition)
    const done = Number(position - first)
    const left = done === 0 ? 0 : (Number(BigInt(lastPosition) - position) / done) * seconds
    console.error(
      `${Math.floor(share * 100)} %, ${formatCount(lines)} lines, ${formatCount(Math.round(lines / seconds))} a second, ${Math.ceil(left)} s left; to continue later: --since ${feedCursor(next)}`,
    )
  }
}

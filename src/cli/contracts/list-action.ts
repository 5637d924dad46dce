import { exportPages } from '../../back-office/export-files/export-file.ts'
import type { ExportFormat } from '../../back-office/export-files/export-kinds.ts'
import { exportText } from '../../back-office/export-files/export-text.ts'
import { invocation } from '../invocation.ts'
import type { JsonOption } from '../json-option.ts'
import { print, printError } from '../print.ts'
import { alignRows } from '../table.ts'
import { requireCursor, withExport } from './with-export.ts'

export interface ListOptions extends JsonOption {
  format?: ExportFormat
  since?: string
}

const columns = [
  ...['contractNumber', 'version', 'status', 'partnerName', 'quoteId', 'customerId', 'startsOn', 'endsOn'],
  ...['monthlyCost', 'totalCost'],
]

/** `contracts list`: prints page by page, so memory use does not grow with the number of contracts. */
export async function listContracts({ format, since, json }: ListOptions): Promise<void> {
  requireCursor(since)
  await withExport('contracts list', async (deps) => {
    const pages = exportPages(deps, 'contracts', { since })
    let cursor: string | null = null
    if (json) invocation().stdout.write('{"contracts":')
    if (format === undefined && !json)
      for await (const page of pages) {
        const cells = page.rows.map((row) => columns.map((name) => String(row[name] ?? '')))
        if (cells.length > 0) print(alignRows([columns, ...cells], { right: [1, 8, 9] }))
        cursor = page.cursor
      }
    else
      for await (const { text, page } of exportText(pages, columns, format ?? 'json')) {
        invocation().stdout.write(text)
        cursor = page?.cursor ?? cursor
      }
    if (json) print(`,"cursor":${JSON.stringify(cursor)}}`)
    else printError(`For what changes from now on: --since ${cursor}`)
  })
}

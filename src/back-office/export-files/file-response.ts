import Type from 'typebox'
import { Choice } from '../../platform/http/schemas/named.ts'
import type { FileResponse } from '../http/operator-route.ts'
import { exportText } from './csv.ts'
import { type ExportFormat, type ExportPage, exportFormats } from './export-page.ts'

/** The query parameter that says how a file is written. */
export const ExportFormatName = Type.Optional(
  Choice(exportFormats, 'CSV, one JSON object a line (`ndjson`), or one JSON array (`json`). Defaults to `csv`.'),
)

const contentTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  json: 'application/json; charset=utf-8',
}

/** The response that sends these pages as a file while they are read. */
export function fileResponse(
  pages: AsyncIterable<ExportPage>,
  {
    columns,
    format,
    headers = {},
  }: { columns: readonly string[]; format: ExportFormat; headers?: FileResponse['headers'] },
): FileResponse {
  return { contentType: contentTypes[format], headers, text: textOf(exportText(pages, columns, format)) }
}

async function* textOf(parts: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) if (text !== '') yield text
}

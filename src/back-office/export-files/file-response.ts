import type { FileResponse } from '../http/operator-route.ts'
import { exportText } from './csv.ts'
import type { ExportFormat, ExportPage } from './export-page.ts'

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

import type { ExportFormat } from '../../../domain/export-files/export-kinds.ts'
import type { ExportPage } from '../../../domain/export-files/export-page.ts'
import { exportText } from '../../../domain/export-files/export-text.ts'
import type { FileReply } from '../operator-route.ts'

const contentTypes: Record<ExportFormat, string> = {
  csv: 'text/csv; charset=utf-8',
  ndjson: 'application/x-ndjson',
  json: 'application/json; charset=utf-8',
}

/** The response that sends these pages as a file while they are read. */
export function fileReply(
  pages: AsyncIterable<ExportPage>,
  {
    columns,
    format,
    headers = {},
  }: { columns: readonly string[]; format: ExportFormat; headers?: FileReply['headers'] },
): FileReply {
  return { contentType: contentTypes[format], headers, text: textOf(exportText(pages, columns, format)) }
}

async function* textOf(parts: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of parts) if (text !== '') yield text
}

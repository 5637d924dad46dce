/** The kinds of files. */
export const exportKinds = ['contracts', 'supply', 'broadband', 'register', 'payments'] as const
export type ExportKind = (typeof exportKinds)[number]

/** How a file is written: CSV, one JSON object a line, or one JSON array. */
export const exportFormats = ['csv', 'ndjson', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

type Cell = string | number | boolean | null
/** A line of a file by column. A column that is missing is empty. */
export type Row = Readonly<Record<string, Cell>>

/** A part of a file that was read in one transaction. */
export interface ExportPage {
  rows: Row[]
  /** With this cursor, an export continues after this page; null if the file cannot be continued. */
  cursor: string | null
  /** How much of the file has been read, from 0 to 1. */
  share: number
}

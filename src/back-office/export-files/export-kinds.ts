/** The kinds of files. */
export const exportKinds = ['contracts', 'supply', 'broadband', 'register', 'payments'] as const
export type ExportKind = (typeof exportKinds)[number]

/** How a file is written: CSV, one JSON object a line, or one JSON array. */
export const exportFormats = ['csv', 'ndjson', 'json'] as const
export type ExportFormat = (typeof exportFormats)[number]

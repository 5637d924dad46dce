/** The columns of an import file, in the order `addresses generate` writes them. */
export const importColumns = [
  'addressLine1',
  'addressLine2',
  'city',
  'county',
  'country',
  'postCode',
  'uprn',
  'mpan',
  'mprn',
] as const

export type ImportColumn = (typeof importColumns)[number]

/** One row's text by column, as in the file. */
export type ImportText = Record<ImportColumn, string>

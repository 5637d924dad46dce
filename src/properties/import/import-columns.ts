/** The columns of an import file, in the order in which `addresses generate` writes them. */
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

/** The unprocessed text of each column in one row of the file. */
export type ImportRowText = Record<ImportColumn, string>

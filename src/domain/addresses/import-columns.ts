import { DomainError } from '../kernel/errors.ts'

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

/** One row's text by column, as it stands in the file. */
export type ImportText = Record<ImportColumn, string>

/**
 * Reads a header: every column exactly once, in any order. Throws `validation_failed` naming what is missing, unknown
 * or there twice, as rows read under a wrong header would overwrite homes with nonsense.
 */
export function readImportHeader(header: readonly string[]): (fields: readonly string[]) => ImportText {
  const names = header.map((name) => name.trim())
  if (names.some((name) => name.includes('\0') || name.includes('\ufffd'))) {
    throw new DomainError('validation_failed', 'The file is not UTF-8 text. Save it as CSV UTF-8 and import it again.')
  }
  const unknown = names.filter((name) => !importColumns.some((column) => column === name))
  const repeated = importColumns.filter((column) => names.filter((name) => name === column).length > 1)
  const missing = importColumns.filter((column) => !names.includes(column))
  const problems = [
    unknown.length > 0 && `unknown column ${quoted(unknown)}`,
    repeated.length > 0 && `column ${quoted(repeated)} more than once`,
    missing.length > 0 && `missing column ${quoted(missing)}`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) {
    const rule = `The first line must name these columns, in any order: ${importColumns.join(',')}.`
    throw new DomainError('validation_failed', `The header cannot be used: ${problems.join('; ')}. ${rule}`)
  }
  const places = importColumns.map((column) => [column, names.indexOf(column)] as const)
  return (fields) => Object.fromEntries(places.map(([column, place]) => [column, fields[place] ?? ''])) as ImportText
}

function quoted(names: readonly string[]): string {
  return names
    .slice(0, 10)
    .map((name) => `"${name.slice(0, 40)}"`)
    .join(', ')
}

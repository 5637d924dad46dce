import { DomainError } from '../../platform/kernel/errors.ts'

/**
 * Reads a header, which must name every column exactly once, in any order. Returns a function that reads a row's fields
 * by column. Throws `validation_failed` naming missing, unknown and repeated columns, because rows read under a wrong
 * header would overwrite correct data.
 */
export function readCsvHeader<Column extends string>(
  columns: readonly Column[],
  header: readonly string[],
): (fields: readonly string[]) => Record<Column, string> {
  const names = header.map((name) => name.trim())
  if (names.some((name) => name.includes('\0') || name.includes('\ufffd'))) {
    throw new DomainError('validation_failed', 'The file is not UTF-8 text. Save it as CSV UTF-8 and import it again.')
  }
  const unknown = names.filter((name) => !columns.some((column) => column === name))
  const repeated = columns.filter((column) => names.filter((name) => name === column).length > 1)
  const missing = columns.filter((column) => !names.includes(column))
  const problems = [
    unknown.length > 0 && `unknown column ${quoted(unknown)}`,
    repeated.length > 0 && `repeated column ${quoted(repeated)}`,
    missing.length > 0 && `missing column ${quoted(missing)}`,
  ].filter((problem) => problem !== false)
  if (problems.length > 0) {
    const detail = `The header is invalid: ${problems.join('; ')}. ${headerRule(columns)}`
    throw new DomainError('validation_failed', detail)
  }
  const places = columns.map((column) => [column, names.indexOf(column)] as const)
  return (fields) => {
    const text = {} as Record<Column, string>
    for (const [column, place] of places) text[column] = fields[place] ?? ''
    return text
  }
}

/** The sentence that error messages use to say what the header must contain. */
export function headerRule(columns: readonly string[]): string {
  return `The first line must name these columns, in any order: ${columns.join(',')}.`
}

function quoted(names: readonly string[]): string {
  return names
    .slice(0, 10)
    .map((name) => `"${name.slice(0, 40)}"`)
    .join(', ')
}

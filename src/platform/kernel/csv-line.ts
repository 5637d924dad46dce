/** The byte order mark with which Excel reads a file as UTF-8. */
export const byteOrderMark = '\uFEFF'

/**
 * One line of CSV (RFC 4180), safe to open in a spreadsheet: a cell that it would run as a formula begins with an
 * apostrophe.
 */
export function csvLine(cells: readonly (string | number | boolean | null)[]): string {
  return `${cells.map(csvCell).join(',')}\r\n`
}

function csvCell(cell: string | number | boolean | null): string {
  if (typeof cell !== 'string') return cell === null ? '' : String(cell)
  const safe = couldBeFormula(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/**
 * Spreadsheets skip what is invisible and read full-width characters as plain ones. A phone number in E.164 only has
 * digits.
 */
function couldBeFormula(cell: string): boolean {
  if (/^\+\d+$/.test(cell)) return false
  return /^[=+\-@]/.test(cell.normalize('NFKC').replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, ''))
}

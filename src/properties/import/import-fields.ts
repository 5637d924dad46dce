import { isMpan, isMprn } from '../meter-points/meter-points.ts'
import { normaliseUprn } from '../uprn.ts'

/** A problem with one column of a row. `reason` is the rest of a sentence that begins with the column's name. */
export interface RowProblem<Column extends string> {
  column: Column
  reason: string
}

/** The result of reading a row: the row if it is valid, otherwise everything that is wrong with it. */
export type RowResult<Column extends string, Row> = { row: Row } | { problems: RowProblem<Column>[] }

/** What a field reader returns for an invalid value: the reason why it is invalid. */
export class InvalidValue {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** Reads the fields of one row by column and collects their problems. */
export class FieldReader<Column extends string> {
  readonly problems: RowProblem<Column>[] = []
  readonly #text: Record<Column, string>

  constructor(text: Record<Column, string>) {
    this.#text = text
  }

  /** The column's value. If it is invalid, records the problem and returns `fallback`. */
  read<Value>(column: Column, reader: (value: string) => Value | InvalidValue, fallback: Value): Value {
    const value = reader(this.#text[column])
    if (!(value instanceof InvalidValue)) return value
    this.problems.push({ column, reason: value.reason })
    return fallback
  }
}

export function parseUprnField(value: string): string | InvalidValue {
  return (
    normaliseUprn(value) ?? new InvalidValue(`must be 1 to 12 digits, not all zero${spreadsheetHint(value.trim())}`)
  )
}

/** Reads an optional meter number. Null if the field is empty. */
export function parseMpanField(value: string): string | null | InvalidValue {
  const number = value.replace(/\s+/g, '')
  if (number === '') return null
  if (!/^\d{13}$/.test(number))
    return new InvalidValue(`must be the 13 digits of the MPAN core${spreadsheetHint(number)}`)
  return isMpan(number) ? number : new InvalidValue('is not a valid MPAN: its check digit or its distributor is wrong')
}

/** Reads an optional meter number. Null if the field is empty. */
export function parseMprnField(value: string): string | null | InvalidValue {
  const number = value.replace(/\s+/g, '')
  if (number === '') return null
  if (!/^\d{6,10}$/.test(number)) return new InvalidValue(`must be 6 to 10 digits${spreadsheetHint(number)}`)
  return isMprn(number) ? number : new InvalidValue('is not a valid MPRN: its check digits are wrong')
}

function spreadsheetHint(text: string): string {
  return /^\d[.,]?\d*e\+\d+$/i.test(text) ? '; a spreadsheet rounded it, so set the format of the column to "text"' : ''
}

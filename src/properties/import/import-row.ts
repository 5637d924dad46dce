import { newId } from '../../platform/kernel/ids.ts'
import { type GivenMeterFacts, type MeterFacts, meterChoices } from '../meter-facts/meter-facts.ts'
import { isMpan, isMprn } from '../meter-points/meter-points.ts'
import { isServedPostcode, normalisePostcode } from '../postcodes/postcode.ts'
import { type Nation, nations, type Property } from '../property.ts'

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

/** The columns for facts about a home's meters and heating, which a file may leave out: the fact that each gives. */
const factOfColumn = {
  meterPayment: 'payment',
  registers: 'registers',
  smartMeter: 'smart',
  heating: 'heating',
} as const satisfies Record<string, keyof MeterFacts>

export type MeterFactColumn = keyof typeof factOfColumn
export const meterFactColumns = Object.keys(factOfColumn) as MeterFactColumn[]

export type ImportColumn = (typeof importColumns)[number] | MeterFactColumn

/** The unprocessed text of each column in one row of the file. */
type ImportRowText = Record<(typeof importColumns)[number], string> & Partial<Record<MeterFactColumn, string>>

/** A problem with one column of a row. `reason` is the rest of a sentence that begins with the column's name. */
interface RowProblem<Column extends string> {
  column: Column
  reason: string
}

/** The result of reading a row: the row if it is valid, otherwise everything that is wrong with it. */
export type RowResult<Column extends string, Row> = { row: Row } | { problems: RowProblem<Column>[] }

/** What a field reader returns for an invalid value: the reason why it is invalid. */
class InvalidValue {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** Reads the fields of one row by column and collects their problems. */
export class FieldReader<Column extends string> {
  readonly problems: RowProblem<Column>[] = []
  readonly #text: Partial<Record<Column, string>>

  constructor(text: Partial<Record<Column, string>>) {
    this.#text = text
  }

  /** The column's value. If it is invalid, records the problem and returns `fallback`. */
  read<Value>(column: Column, reader: (value: string) => Value | InvalidValue, fallback: Value): Value {
    const value = reader(this.#text[column] ?? '')
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

/** The facts that a row gives; null if it gives none. An empty field says nothing. */
export function readMeterFacts(fields: Pick<FieldReader<MeterFactColumn>, 'read'>): GivenMeterFacts | null {
  const given = meterFactColumns.flatMap((column) => {
    const fact = factOfColumn[column]
    const choices = meterChoices[fact]
    const value = fields.read(
      column,
      (text) => {
        const wanted = text.trim().toLowerCase()
        if (wanted === '') return null
        const choice = choices.find((each) => String(each) === wanted)
        return choice ?? new InvalidValue(`must be empty or one of ${choices.join(', ')}`)
      },
      null,
    )
    return value === null ? [] : [[fact, value]]
  })
  return given.length === 0 ? null : Object.fromEntries(given)
}

function spreadsheetHint(text: string): string {
  return /^\d[.,]?\d*e\+\d+$/i.test(text) ? '; a spreadsheet rounded it, so set the format of the column to "text"' : ''
}

/**
 * The text as a UPRN (unique property reference number): 1 to 12 digits, not all zero, without the zeros to which some
 * lists pad it. Null if it cannot be one.
 */
export function normaliseUprn(text: string): string | null {
  const digits = text.trim()
  return /^\d{1,12}$/.test(digits) && !/^0+$/.test(digits) ? digits.replace(/^0+/, '') : null
}

/** A property read from a valid row. Its addressUid is used only if the UPRN is new. */
export type ImportedProperty = Omit<Property, 'source' | 'specialCase'>

/** Validates one row. Returns the property, or every problem in the row. */
export function readImportRow(text: ImportRowText): RowResult<ImportColumn, ImportedProperty> {
  const fields = new FieldReader<ImportColumn>(text)
  const row: ImportedProperty = {
    addressUid: newId('address'),
    addressLine1: fields.read('addressLine1', readLine1, ''),
    addressLine2: fields.read('addressLine2', readLine2, ''),
    city: fields.read('city', readCity, ''),
    county: fields.read('county', readCounty, ''),
    country: fields.read('country', nation, 'England'),
    postcode: fields.read('postCode', readPostcode, ''),
    uprn: fields.read('uprn', parseUprnField, ''),
    mpan: fields.read('mpan', parseMpanField, null),
    mprn: fields.read('mprn', parseMprnField, null),
    meter: readMeterFacts(fields),
  }
  return fields.problems.length > 0 ? { problems: fields.problems } : { row }
}

/** Text that needs no tidying, as nearly all text of an address file. */
const tidyAscii = /^[!-~]+(?: [!-~]+)*$/

function optional(maxLength: number): (value: string) => string | InvalidValue {
  return (value) => {
    if (value === '' || (value.length <= maxLength && tidyAscii.test(value))) return value
    const tidy = oneLine(value)
    if (tidy.includes('\ufffd')) return new InvalidValue('is not UTF-8 text; save the file as CSV UTF-8')
    if (/\p{Cc}/u.test(tidy)) return new InvalidValue('contains a control character')
    if (tidy.length > maxLength) return new InvalidValue(`is longer than ${maxLength} characters`)
    return tidy
  }
}

/** Joins the lines of a spreadsheet cell with commas, because a line break in an address means the same as a comma. */
function oneLine(value: string): string {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim())
  return lines
    .map((line, index) => (index < lines.length - 1 && line.endsWith(',') ? line.slice(0, -1) : line))
    .filter((line) => line !== '')
    .join(', ')
    .replace(/\s+/g, ' ')
}

function required(maxLength: number): (value: string) => string | InvalidValue {
  const read = optional(maxLength)
  return (value) => {
    const tidy = read(value)
    return tidy === '' ? new InvalidValue('is missing') : tidy
  }
}

const readLine1 = required(200)
const readLine2 = optional(200)
const readCity = required(100)
const readCounty = optional(100)

function nation(value: string): Nation | InvalidValue {
  const wanted = value.trim().toLowerCase()
  return (
    nations.find((each) => each === value) ??
    nations.find((each) => each.toLowerCase() === wanted) ??
    new InvalidValue(`must be one of ${nations.join(', ')}`)
  )
}

/** Files are mostly sorted, so the last postcode is often the next one too. */
const readPostcode = rememberingLast(postcode)

function rememberingLast<Result>(read: (value: string) => Result): (value: string) => Result {
  let last: { value: string; result: Result } | undefined
  return (value) => {
    if (last?.value !== value) last = { value, result: read(value) }
    return last.result
  }
}

function postcode(value: string): string | InvalidValue {
  const normal = normalisePostcode(value)
  if (normal === null) return new InvalidValue('is not a postcode; write it like SW7 2AZ')
  return isServedPostcode(normal)
    ? normal
    : new InvalidValue('is not served; we serve only addresses in Great Britain, and no forces (BFPO) addresses')
}

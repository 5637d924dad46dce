import { newId } from '../../platform/kernel/ids.ts'
import { isServedPostcode, normalisePostcode } from '../postcodes/postcode.ts'
import { type Nation, nations, type Property } from '../property.ts'
import type { ImportColumn, ImportRowText } from './import-columns.ts'
import {
  FieldReader,
  InvalidValue,
  parseMpanField,
  parseMprnField,
  parseUprnField,
  type RowResult,
} from './import-fields.ts'

/** A property read from a valid row. Its addressUid is used only if the UPRN is new. */
export type ImportedProperty = Omit<Property, 'source' | 'specialCase'>

/** Validates one row. Returns the property, or every problem in the row. */
export function readImportRow(text: ImportRowText): RowResult<ImportColumn, ImportedProperty> {
  const fields = new FieldReader(text)
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

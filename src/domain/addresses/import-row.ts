import { newId } from '../kernel/ids.ts'
import type { ImportColumn, ImportText } from './import-columns.ts'
import { isMpan, isMprn } from './meter-points.ts'
import { isServedPostcode, normalisePostcode } from './postcode.ts'
import { type Nation, nations, type Property } from './property.ts'

/** A row that may be stored; the addressUid is used only where the UPRN is new. */
export type ImportedProperty = Omit<Property, 'source' | 'specialCase'>

export interface RowProblem {
  column: ImportColumn
  reason: string
}

/** Checks one row: the home it describes, or everything that is wrong with it, at least one problem. */
export function readImportRow(text: ImportText): { property: ImportedProperty } | { problems: RowProblem[] } {
  const problems: RowProblem[] = []
  const check = <Value>(column: ImportColumn, read: (value: string) => Value | Problem, otherwise: Value): Value => {
    const value = read(text[column])
    if (!(value instanceof Problem)) return value
    problems.push({ column, reason: value.reason })
    return otherwise
  }
  const property: ImportedProperty = {
    addressUid: newId('address'),
    addressLine1: check('addressLine1', required(200), ''),
    addressLine2: check('addressLine2', optional(200), ''),
    city: check('city', required(100), ''),
    county: check('county', optional(100), ''),
    country: check('country', nation, 'England' as const),
    postcode: check('postCode', postcode, ''),
    uprn: check('uprn', uprn, ''),
    mpan: check('mpan', mpan, null),
    mprn: check('mprn', mprn, null),
  }
  return problems.length > 0 ? { problems } : { property }
}

/** A value that is refused, and why. */
class Problem {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

function optional(maxLength: number): (value: string) => string | Problem {
  return (value) => {
    const tidy = oneLine(value)
    if (tidy.includes('\ufffd')) return new Problem('is not UTF-8 text; save the file as CSV UTF-8')
    if (/\p{Cc}/u.test(tidy)) return new Problem('contains a control character')
    if (tidy.length > maxLength) return new Problem(`is longer than ${maxLength} characters`)
    return tidy
  }
}

/** Spreadsheets break lines within a cell; in an address that break is a comma. */
function oneLine(value: string): string {
  const lines = value.split(/[\r\n]+/).map((line) => line.trim())
  return lines
    .map((line, index) => (index < lines.length - 1 && line.endsWith(',') ? line.slice(0, -1) : line))
    .filter((line) => line !== '')
    .join(', ')
    .replace(/\s+/g, ' ')
}

function required(maxLength: number): (value: string) => string | Problem {
  const read = optional(maxLength)
  return (value) => {
    const tidy = read(value)
    return tidy === '' ? new Problem('is missing') : tidy
  }
}

function nation(value: string): Nation | Problem {
  const wanted = value.trim().toLowerCase()
  return nations.find((each) => each.toLowerCase() === wanted) ?? new Problem(`must be one of ${nations.join(', ')}`)
}

function postcode(value: string): string | Problem {
  const normal = normalisePostcode(value)
  if (normal === null) return new Problem('is not a postcode, such as SW7 2AZ')
  return isServedPostcode(normal) ? normal : new Problem('is not served: only Great Britain, without forces addresses')
}

function uprn(value: string): string | Problem {
  const number = value.trim()
  if (/^\d{1,12}$/.test(number) && !/^0+$/.test(number)) return number
  return new Problem(`must be 1 to 12 digits, not all zero${spreadsheetHint(number)}`)
}

function mpan(value: string): string | null | Problem {
  const number = value.replace(/\s+/g, '')
  if (number === '') return null
  if (!/^\d{13}$/.test(number)) return new Problem(`must be the 13 digits of the MPAN core${spreadsheetHint(number)}`)
  return isMpan(number) ? number : new Problem('is not an MPAN: its check digit or its distributor is wrong')
}

function mprn(value: string): string | null | Problem {
  const number = value.replace(/\s+/g, '')
  if (number === '') return null
  if (!/^\d{6,10}$/.test(number)) return new Problem(`must be 6 to 10 digits${spreadsheetHint(number)}`)
  return isMprn(number) ? number : new Problem('is not an MPRN: its check digits are wrong')
}

function spreadsheetHint(text: string): string {
  return /^\d[.,]?\d*e\+\d+$/i.test(text) ? '; a spreadsheet rounded it: give the column the format "text"' : ''
}

import {
  FieldReader,
  type MeterFactColumn,
  parseMpanField,
  parseMprnField,
  parseUprnField,
  type RowResult,
  readMeterFacts,
} from '../import/import-row.ts'
import type { KnownMeters } from './meter-points.ts'

/** The columns of a meter-point file. */
export const meterPointColumns = ['uprn', 'mpan', 'mprn'] as const
export type MeterPointColumn = (typeof meterPointColumns)[number] | MeterFactColumn

/** The meters of one property, as given in the file. */
export interface MeterPointRow extends KnownMeters {
  uprn: string
}

/** Validates one row. Both meters may be empty, for a property that has neither. */
export function readMeterPointRow(text: Record<MeterPointColumn, string>): RowResult<MeterPointColumn, MeterPointRow> {
  const fields = new FieldReader(text)
  const row: MeterPointRow = {
    uprn: fields.read('uprn', parseUprnField, ''),
    mpan: fields.read('mpan', parseMpanField, null),
    mprn: fields.read('mprn', parseMprnField, null),
    meter: readMeterFacts(fields),
  }
  return fields.problems.length > 0 ? { problems: fields.problems } : { row }
}

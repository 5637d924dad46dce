import { FieldReader, parseMpanField, parseMprnField, parseUprnField, type RowResult } from '../import/import-row.ts'
import type { MeterPoints } from './meter-points.ts'

/** The columns of a meter-point file. */
export const meterPointColumns = ['uprn', 'mpan', 'mprn'] as const
export type MeterPointColumn = (typeof meterPointColumns)[number]

/** The meters of one property, as given in the file. */
export interface MeterPointRow extends MeterPoints {
  uprn: string
}

/** Validates one row. Both meters may be empty, for a property that has neither. */
export function readMeterPointRow(text: Record<MeterPointColumn, string>): RowResult<MeterPointColumn, MeterPointRow> {
  const fields = new FieldReader(text)
  const row: MeterPointRow = {
    uprn: fields.read('uprn', parseUprnField, ''),
    mpan: fields.read('mpan', parseMpanField, null),
    mprn: fields.read('mprn', parseMprnField, null),
  }
  return fields.problems.length > 0 ? { problems: fields.problems } : { row }
}

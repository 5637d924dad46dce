import { importMeterPoints } from '../../properties/meter-points/import-meter-points.ts'
import type { JsonOption } from '../json-option.ts'
import { runImport } from './run-import.ts'

export async function importMeters(file: string, options: JsonOption): Promise<void> {
  await runImport(importMeterPoints, file, options, ({ addresses }) =>
    addresses.source === 'database' ? withoutEffect : undefined,
  )
}

const withoutEffect =
  'ADDRESS_SOURCE is "database", so these meters have no effect. Import meters with the properties: "addresses import".'

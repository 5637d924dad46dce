import { importMeterPoints } from '../../domain/addresses/meter-points/import-meter-points.ts'
import type { JsonOption } from '../json-option.ts'
import { runImport } from './run-import.ts'

export async function importMeters(file: string, options: JsonOption): Promise<void> {
  await runImport(({ db }, path, onProgress) => importMeterPoints(db, path, onProgress), file, options)
}

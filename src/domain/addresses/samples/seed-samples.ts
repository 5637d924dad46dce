import type { Queryable } from '../../../db/database.ts'
import { insertMissingProperties } from '../properties.store.ts'
import { generateSampleProperties } from './sample-properties.ts'

/** Adds the sample properties that are missing, in one statement, so it can run at every start. Returns how many it added. */
export function seedSamples(db: Queryable): Promise<number> {
  return insertMissingProperties(db, generateSampleProperties())
}

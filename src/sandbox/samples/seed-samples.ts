import type { Queryable } from '../../platform/db/database.ts'
import { insertMissingProperties } from '../../properties/properties.store.ts'
import { generateSampleProperties } from './sample-properties.ts'

/**
 * Adds any missing sample properties. This is a single statement, so it can run at every start. Returns how many it
 * added.
 */
export function seedSamples(db: Queryable): Promise<number> {
  return insertMissingProperties(db, generateSampleProperties())
}

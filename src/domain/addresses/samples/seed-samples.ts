import type { Queryable } from '../../../db/database.ts'
import { insertMissing } from '../properties.store.ts'
import { generateSampleProperties } from './sample-properties.ts'

/**
 * Gives a sandbox its sample homes, in one statement; what is there stays as it is, so it may run at every start.
 * Answers how many it added.
 */
export function seedSamples(db: Queryable): Promise<number> {
  return insertMissing(db, generateSampleProperties())
}

import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { seedSamples } from '../../domain/addresses/samples/seed-samples.ts'
import { listRateCardLives } from '../../domain/rates/life/rate-card-life.store.ts'
import { publishRateCard } from '../../domain/rates/publish-rate-card.ts'
import { readShippedRateCards } from '../reference-data.ts'

interface SandboxDeps {
  db: Database
  log: Logger
  /** Whether properties come from our own tables. With a supplier, lookups would never return the samples. */
  withSamples: boolean
}

/**
 * Adds the sample properties to a sandbox, unless properties come from a supplier, and its two rate cards if none was ever published. Safe
 * to repeat at every start.
 */
export async function prepareSandbox({ db, log, withSamples }: SandboxDeps): Promise<void> {
  const added = withSamples ? await seedSamples(db) : 0
  if (added > 0) log.info({ added }, 'sample properties added')
  if ((await listRateCardLives(db)).length > 0) return
  for (const card of await readShippedRateCards()) {
    const { outcome } = await publishRateCard({ db }, card, 'sandbox')
    log.info({ quotingToolVersionId: card.id, outcome }, 'sample rate card')
  }
}

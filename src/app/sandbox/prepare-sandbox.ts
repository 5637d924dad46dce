import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import { listRateCardLives } from '../../quoting/rates/life/rate-card-life.store.ts'
import { publishRateCard } from '../../quoting/rates/publish-rate-card.ts'
import { seedSamples } from '../../sandbox/samples/sample-properties.ts'
import { readShippedRateCards } from '../reference-data.ts'

interface SandboxDeps {
  db: Database
  log: Logger
  /** Whether properties come from our own tables. With a supplier, lookups would never return the samples. */
  withSamples: boolean
}

/**
 * Adds the sample properties to a sandbox, unless properties come from a supplier, and its two rate cards if none was
 * ever published. Safe to repeat at every start.
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

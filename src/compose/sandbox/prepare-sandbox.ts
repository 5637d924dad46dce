import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { seedSamples } from '../../domain/addresses/samples/seed-samples.ts'
import { publishRateCard } from '../../domain/rates/publish-rate-card.ts'
import { listCards } from '../../domain/rates/rate-cards.store.ts'
import { readShippedRateCards } from '../reference-data.ts'

interface SandboxDeps {
  db: Database
  log: Logger
  /** Whether homes come from our own tables: samples beside a supplier's homes would be found by nobody. */
  withSamples: boolean
}

/**
 * Gives a sandbox its sample properties, unless a supplier is asked for homes, and, where no rate card was ever published,
 * its two cards. Safe at every start.
 */
export async function prepareSandbox({ db, log, withSamples }: SandboxDeps): Promise<void> {
  const added = withSamples ? await seedSamples(db) : 0
  if (added > 0) log.info({ added }, 'sample properties added')
  if ((await listCards(db)).length > 0) return
  for (const card of await readShippedRateCards()) {
    const { outcome } = await publishRateCard({ db }, card)
    log.info({ quotingToolVersionId: card.id, outcome }, 'sample rate card')
  }
}

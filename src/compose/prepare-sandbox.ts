import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { seedSamples } from '../domain/addresses/seed-samples.ts'
import { publishRateCard } from '../domain/rates/publish-rate-card.ts'
import { listCards } from '../domain/rates/rate-cards.store.ts'
import { readShippedRateCards } from './reference-data.ts'

/** Gives a sandbox its sample properties and, where no rate card was ever published, its two cards. Safe at every start. */
export async function prepareSandbox({ db, log }: { db: Database; log: Logger }): Promise<void> {
  const added = await seedSamples(db)
  if (added > 0) log.info({ added }, 'sample properties added')
  if ((await listCards(db)).length > 0) return
  for (const card of await readShippedRateCards()) {
    const { outcome } = await publishRateCard({ db }, card)
    log.info({ quotingToolVersionId: card.id, outcome }, 'sample rate card')
  }
}

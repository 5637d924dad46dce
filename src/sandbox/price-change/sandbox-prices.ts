import { createHash } from 'node:crypto'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { insertRateCardChange, replaceCardPartners } from '../../quoting/rates/life/rate-card-life.store.ts'
import type { RateCard } from '../../quoting/rates/rate-card.ts'
import { insertRateCard } from '../../quoting/rates/rate-cards.store.ts'
import { withdrawPriceChanges } from './sandbox-prices.store.ts'

/** Publishes rate cards for one partner of a sandbox, which only the operator may do in live. */
export interface SandboxPrices {
  /**
   * Publishes the card for this partner alone, in place of its earlier ones. A card that is published already stays as
   * it is.
   */
  publish(partnerId: Id<'partner'>, card: RateCard): Promise<void>
}

const by = 'sandbox'

/** `system` may publish rate cards. */
export function createSandboxPrices(system: Database): SandboxPrices {
  return {
    publish: (partnerId, card) =>
      inTransaction(system, {}, async (tx) => {
        const cardSha256 = createHash('sha256').update(JSON.stringify(card)).digest('hex')
        if (!(await insertRateCard(tx, card, cardSha256))) return
        for (const id of await withdrawPriceChanges(tx, partnerId))
          await insertRateCardChange(tx, id, { change: 'withdrawn', by })
        await replaceCardPartners(tx, card.id, [partnerId])
        await insertRateCardChange(tx, card.id, { change: 'published', by })
      }),
  }
}

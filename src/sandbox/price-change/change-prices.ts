import { createHash, randomBytes } from 'node:crypto'
import type { Caller } from '../../partners/caller.ts'
import { insertAuditEntry } from '../../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import { chooseVersion } from '../../quoting/rates/card-catalogue.ts'
import type { RateCard } from '../../quoting/rates/rate-card.ts'
import { findRateCard } from '../../quoting/rates/rate-cards.store.ts'
import { priceChangePrefix } from './sandbox-prices.store.ts'
import type { SandboxPrices } from './sandbox-prices.ts'
import { fitsRateCard, scaleRateCard } from './scale-rate-card.ts'

/** How far one change may move prices, in percent. */
export const lowestPercent = -50
export const highestPercent = 100

/**
 * POST /Sandbox/price-change: publishes the partner's default rate card again, for this partner alone, with prices that
 * are `percent` higher or lower. New quotes use it at once, and expired ones when they are renewed. Throws
 * `validation_failed` if a rate would become zero or too large.
 */
export async function changePrices(
  { db, sandboxPrices }: { db: Database; sandboxPrices: SandboxPrices | undefined },
  caller: Caller,
  percent: number,
): Promise<RateCard> {
  if (sandboxPrices === undefined) throw new Error('only a sandbox has this operation')
  const { partnerId, now, responseRecorder } = caller
  const id = `${priceChangePrefix}${shortHash(responseRecorder?.effectKey ?? randomBytes(16).toString('hex'))}`
  // The request may be repeated after a crash: its card is published then, and must not be changed once more.
  const card =
    (await findRateCard(db, id)) ?? (await scaleDefault(db, { partnerId, today: londonDate(now) }, percent, id))
  await sandboxPrices.publish(partnerId, card)
  return inTransaction(db, caller, async (tx) => {
    await insertAuditEntry(tx, partnerId, {
      action: 'asked',
      subjectType: 'rate card',
      subjectId: card.id,
      quoteId: null,
      customerId: null,
      fields: [],
    })
    return card
  })
}

async function scaleDefault(
  db: Database,
  buyer: Parameters<typeof chooseVersion>[1],
  percent: number,
  id: string,
): Promise<RateCard> {
  const { quotingToolVersionId } = await chooseVersion(db, buyer, undefined)
  const base = await findRateCard(db, quotingToolVersionId)
  if (base === undefined) throw new Error(`rate card ${quotingToolVersionId} not found`)
  const scaled = scaleRateCard(base, percent, id)
  if (fitsRateCard(scaled)) return scaled
  const detail = 'A price would become zero or too large. Use another percentage, or use another partner.'
  throw invalidFields([{ pointer: '/percent', code: 'out_of_range', detail }])
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
}

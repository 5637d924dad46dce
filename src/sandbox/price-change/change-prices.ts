import { createHash, randomBytes } from 'node:crypto'
import Fraction from 'fraction.js'
import type { Caller } from '../../partners/caller.ts'
import { insertAuditEntry } from '../../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { jsonProblems } from '../../platform/http/pipeline/json-problems.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { chooseVersion } from '../../quoting/rates/card-catalogue.ts'
import {
  insertRateCardChange,
  replaceCardPartners,
  withdrawCardsOf,
} from '../../quoting/rates/life/rate-card-life.store.ts'
import { type RateCard, rateCardSchema } from '../../quoting/rates/rate-card.ts'
import { findRateCard, insertRateCard } from '../../quoting/rates/rate-cards.store.ts'

const schema = rateCardSchema()

/**
 * A card under another id whose rates, standing charges and set-up fees are `percent` higher, or lower if it is
 * negative. Rates have at most four decimal places, halves up. Use and VAT rates stay. Pure.
 */
function scaleRateCard(card: RateCard, percent: number, id: string): RateCard {
  const scaled = (figure: string | number) => new Fraction(figure).mul(100 + percent).div(100)
  const rate = (figure: string) => scaled(figure).round(4).toString()
  const change = `${percent > 0 ? '+' : ''}${percent} %`
  return {
    ...card,
    id,
    name: `Sandbox price change of ${change}`,
    source: `${card.id}, changed by ${change} with POST /Sandbox/price-change`,
    packages: card.packages.map(({ rates, ...each }) => ({
      ...each,
      setupFee: scaled(each.setupFee).round(0).valueOf(),
      ...(rates === undefined
        ? {}
        : {
            rates: Object.fromEntries(
              Object.entries(rates).map(([region, { unitRate, standingCharge, twoRate, ...regional }]) => [
                region,
                {
                  ...{ ...regional, unitRate: rate(unitRate), standingCharge: rate(standingCharge) },
                  ...(twoRate === undefined
                    ? {}
                    : {
                        twoRate: {
                          ...{ dayRate: rate(twoRate.dayRate), nightRate: rate(twoRate.nightRate) },
                          ...{ nightShare: twoRate.nightShare, standingCharge: rate(twoRate.standingCharge) },
                        },
                      }),
                },
              ]),
            ),
          }),
    })),
  }
}

/** What the ids of the rate cards begin with that price changes publish. */
const priceChangePrefix = 'price-change-'

/** How far one change may move prices, in percent. */
export const lowestPercent = -50
export const highestPercent = 100

/**
 * POST /Sandbox/price-change: publishes the partner's default rate card again, for this partner alone, with prices that
 * are `percent` higher or lower. New quotes use it at once, and expired ones when they are renewed. Throws
 * `validation_failed` if a price would become too large.
 */
export async function changePrices(
  { db, sandboxPrices }: { db: Database; sandboxPrices: SandboxPrices | undefined },
  caller: Caller,
  percent: number,
): Promise<RateCard> {
  if (sandboxPrices === undefined) throw new Error('only a sandbox has this operation')
  const { partnerId, now, responseRecorder } = caller
  const seed = responseRecorder?.effectKey ?? randomBytes(16)
  const id = `${priceChangePrefix}${createHash('sha256').update(seed).digest('hex').slice(0, 24)}`
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
  if (jsonProblems(scaled, schema).length === 0) return scaled
  const detail = 'A price would become too large. Use another percentage, or use another partner.'
  throw invalidFields([{ pointer: '/percent', code: 'out_of_range', detail }])
}

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
        for (const id of await withdrawCardsOf(tx, partnerId, priceChangePrefix))
          await insertRateCardChange(tx, id, { change: 'withdrawn', by })
        await replaceCardPartners(tx, card.id, [partnerId])
        await insertRateCardChange(tx, card.id, { change: 'published', by })
      }),
  }
}

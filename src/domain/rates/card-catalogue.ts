import type { Queryable } from '../../db/database.ts'
import type { IsoDate } from '../../kernel/dates.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { Package } from '../packages/package.ts'
import { type ServiceTable, type SuppliedHome, serviceRow, services } from '../packages/services.ts'
import { type RateCard, rateFor } from './rate-card.ts'
import { findCard, listCardsOnSale, type PublishedCard } from './rate-cards.store.ts'

/** Published cards by id. They never change, so each is read from the database once a process. */
export interface CardCatalogue {
  /**
   * Reads through `db` where the card is not known yet: inside a transaction hand in the transaction, so that it never waits
   * for a second connection. Throws where no such card was ever published: quotes only name published ones.
   */
  load(db: Queryable, quotingToolVersionId: string): Promise<RateCard>
}

export function createCardCatalogue(): CardCatalogue {
  const known = new Map<string, Promise<RateCard>>()
  return {
    load(db, quotingToolVersionId) {
      const kept = known.get(quotingToolVersionId)
      if (kept !== undefined) return kept
      const reading = findCard(db, quotingToolVersionId).then((found) => {
        if (found === undefined) throw new Error(`no rate card ${quotingToolVersionId}`)
        return found.card
      })
      known.set(quotingToolVersionId, reading)
      reading.catch(() => known.delete(quotingToolVersionId))
      return reading
    },
  }
}

/**
 * The version a quote is priced on today: the one asked for where it may be sold, else the default (latest published).
 * Throws `quoting_tool_version_not_found`, or `service_unavailable` when no card is on sale at all.
 */
export async function chooseVersion(
  db: Queryable,
  today: IsoDate,
  askedFor: string | undefined,
): Promise<PublishedCard> {
  const onSale = await listCardsOnSale(db, today)
  const [latest] = onSale
  if (latest === undefined) {
    throw new DomainError(
      'service_unavailable',
      'No rate card is on sale today, so nothing can be priced. The operator must publish one.',
      {
        retryAfterSeconds: 3_600,
      },
    )
  }
  if (askedFor === undefined) return latest
  const asked = onSale.find((card) => card.quotingToolVersionId === askedFor)
  if (asked !== undefined) return asked
  throw new DomainError(
    'quoting_tool_version_not_found',
    'This quoting tool version is unknown or not on sale. Choose one from GET /Quotes/quoting-tool-versions, or leave the field out.',
    {
      fields: [
        { pointer: '/quotingToolVersionId', code: 'quoting_tool_version_not_found', detail: 'Not on sale today.' },
      ],
    },
  )
}

/** What the card offers for a home: nothing metered without its meter, or without rates for the home's region. */
export function offeredPackages(card: RateCard, home: SuppliedHome, table: ServiceTable = services): Package[] {
  return card.packages
    .filter(({ type, rates }) => {
      const { metered } = serviceRow(type, table)
      if (metered === null) return true
      const hasMeter = metered.meter === null || home.address[metered.meter.field] !== null
      return hasMeter && rateFor(rates, metered.region.of(home)) !== undefined
    })
    .map(({ packageId, type, name, description, isDefault }) => ({ packageId, type, name, description, isDefault }))
}

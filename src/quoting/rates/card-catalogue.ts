import type { Queryable } from '../../platform/db/database.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Package } from '../packages/package.ts'
import { type ServiceableProperty, serviceRow } from '../packages/services.ts'
import { type RateCard, rateFor } from './rate-card.ts'
import { findRateCard, listRateCardsOnSale, type PublishedRateCard } from './rate-cards.store.ts'

/**
 * Gives access to published rate cards by id. Published cards never change, so a process reads each card from the
 * database only once.
 */
export interface RateCardCatalogue {
  /**
   * The card with this id, read through `db` if it is not cached. Inside a transaction, pass the transaction as `db`,
   * so that it does not wait for a second connection. Throws for an id that was never published, because quotes only
   * refer to published cards.
   */
  load(db: Queryable, quotingToolVersionId: string): Promise<RateCard>
}

export function createRateCardCatalogue(): RateCardCatalogue {
  const known = new Map<string, Promise<RateCard>>()
  return {
    load(db, quotingToolVersionId) {
      const kept = known.get(quotingToolVersionId)
      if (kept !== undefined) return kept
      const reading = findRateCard(db, quotingToolVersionId).then((found) => {
        if (found === undefined) throw new Error(`rate card ${quotingToolVersionId} not found`)
        return found
      })
      known.set(quotingToolVersionId, reading)
      reading.catch(() => known.delete(quotingToolVersionId))
      return reading
    },
  }
}

/**
 * The version of the rate card that prices a quote created today: the requested one or, by default, the latest
 * published. Throws `quoting_tool_version_not_found` if the requested one is not on sale, and `service_unavailable` if
 * no card is on sale.
 */
export async function chooseVersion(
  db: Queryable,
  { partnerId, today }: { partnerId: string; today: IsoDate },
  requestedId: string | undefined,
): Promise<PublishedRateCard> {
  const onSale = await listRateCardsOnSale(db, partnerId, today)
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
  if (requestedId === undefined) return latest
  const requested = onSale.find((card) => card.quotingToolVersionId === requestedId)
  if (requested !== undefined) return requested
  const code = 'quoting_tool_version_not_found'
  const detail =
    'This quoting tool version is unknown or not on sale. Choose one from GET /Quotes/quoting-tool-versions, or leave the field out.'
  throw invalidFields([{ pointer: '/quotingToolVersionId', code, detail }], code)
}

/**
 * The packages that the card offers for a property. Leaves out a metered service if the property does not have the
 * meter for it, if its heating rules the service out, or if the card has no rates for the property's region.
 */
export function offeredPackages(card: RateCard, property: ServiceableProperty): Package[] {
  return card.packages
    .filter(({ type, rates }) => {
      const { metered } = serviceRow(type)
      if (metered === null) return true
      const hasMeter = metered.meter === null || property.address[metered.meter.field] !== null
      if (metered.notWithHeating !== undefined && metered.notWithHeating === property.meter?.heating) return false
      return hasMeter && rateFor(rates, metered.region.of(property)) !== undefined
    })
    .map(({ packageId, type, name, description, isDefault }) => ({ packageId, type, name, description, isDefault }))
}

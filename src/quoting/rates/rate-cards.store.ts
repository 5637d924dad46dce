import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { RateCard } from './rate-card.ts'

/** A published card that may be sold. */
export interface PublishedRateCard {
  quotingToolVersionId: string
  name: string
  onSaleFrom: IsoDate | null
  onSaleTo: IsoDate | null
}

/** The cards that are on sale to the partner on `today`, latest published first. The first one is the default. */
export function listRateCardsOnSale(db: Queryable, partnerId: string, today: IsoDate): Promise<PublishedRateCard[]> {
  return db.query<PublishedRateCard>(sql`
    select quoting_tool_version_id as "quotingToolVersionId", name, on_sale_from::text as "onSaleFrom",
           on_sale_to::text as "onSaleTo"
      from rate_cards
     where withdrawn_at is null
       and (on_sale_from is null or on_sale_from <= ${today}) and (on_sale_to is null or on_sale_to >= ${today})
       and (not is_restricted or exists (select from rate_card_partners p
             where p.quoting_tool_version_id = rate_cards.quoting_tool_version_id and p.partner_id = ${partnerId}))
     order by publication_number desc`)
}

/**
 * The last day up to which, on this day, every day has a card on sale to every partner with figures that were published
 * for that day; if this day has none, the last one before. Null if there is no such end or no card.
 */
export async function findLastPricedDay(db: Queryable, today: IsoDate): Promise<IsoDate | null> {
  const [row] = await db.query<{ lastDay: IsoDate | null }>(sql`
    select nullif(max(coalesce(upper(days) - 1, 'infinity')), 'infinity')::text as "lastDay"
      from (select unnest(range_agg(daterange(on_sale_from, on_sale_to, '[]')
                                    * daterange(null, (card #>> '{publishedFor,to}')::date, '[]'))) as days
              from rate_cards where withdrawn_at is null and not is_restricted) priced
     where days && daterange(null, ${today}::date, '[]')`)
  return row?.lastDay ?? null
}

/** The figures of a card, whatever its state. */
export async function findRateCard(db: Queryable, quotingToolVersionId: string): Promise<RateCard | undefined> {
  const [row] = await db.query<{ card: RateCard }>(sql`
    select card from rate_cards where quoting_tool_version_id = ${quotingToolVersionId}`)
  return row?.card
}

/** Publishes a card. Returns false if the id is already in use, because a card is never replaced. */
export async function insertRateCard(tx: Tx, card: RateCard, cardSha256: string): Promise<boolean> {
  const rows = await tx.query(sql`
    insert into rate_cards (quoting_tool_version_id, name, card, card_sha256, on_sale_from, on_sale_to)
    values (${card.id}, ${card.name}, ${JSON.stringify(card)}::jsonb, ${cardSha256}, ${card.onSaleFrom ?? null},
            ${card.onSaleTo ?? null})
    on conflict (quoting_tool_version_id) do nothing returning 1`)
  return rows.length === 1
}

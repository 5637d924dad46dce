import type { Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { IsoDate } from '../../kernel/dates.ts'
import type { RateCard } from './rate-card.ts'

export interface PublishedRateCard {
  quotingToolVersionId: string
  name: string
  onSaleFrom: IsoDate | null
  onSaleTo: IsoDate | null
  publicationNumber: number
  publishedAt: Date
}

const publishedColumns = sql`quoting_tool_version_id as "quotingToolVersionId", name, on_sale_from::text as "onSaleFrom",
  on_sale_to::text as "onSaleTo", publication_number::float8 as "publicationNumber", published_at as "publishedAt"`

/** The cards that are on sale on `today`, latest published first. The first one is the default. */
export function listRateCardsOnSale(db: Queryable, today: IsoDate): Promise<PublishedRateCard[]> {
  return db.query<PublishedRateCard>(sql`
    select ${publishedColumns} from rate_cards
     where (on_sale_from is null or on_sale_from <= ${today}) and (on_sale_to is null or on_sale_to >= ${today})
     order by publication_number desc`)
}

/** Every published card, latest first. */
export function listPublishedRateCards(db: Queryable): Promise<PublishedRateCard[]> {
  return db.query<PublishedRateCard>(sql`select ${publishedColumns} from rate_cards order by publication_number desc`)
}

export async function findRateCard(
  db: Queryable,
  quotingToolVersionId: string,
): Promise<{ card: RateCard; cardSha256: string } | undefined> {
  const [row] = await db.query<{ card: RateCard; cardSha256: string }>(sql`
    select card, card_sha256 as "cardSha256" from rate_cards where quoting_tool_version_id = ${quotingToolVersionId}`)
  return row
}

/** Publishes a card. Returns false if the id is already in use, because a published version is never replaced. */
export async function insertRateCard(db: Queryable, card: RateCard, cardSha256: string): Promise<boolean> {
  const rows = await db.query(sql`
    insert into rate_cards (quoting_tool_version_id, name, card, card_sha256, on_sale_from, on_sale_to)
    values (${card.id}, ${card.name}, ${JSON.stringify(card)}::jsonb, ${cardSha256}, ${card.onSaleFrom ?? null}, ${card.onSaleTo ?? null})
    on conflict (quoting_tool_version_id) do nothing returning 1`)
  return rows.length === 1
}

import type { Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'

/** What the ids of rate cards begin with that price changes have published. */
export const priceChangePrefix = 'price-change-'

/** Takes the cards off sale that price changes of this partner have published. Returns their ids. */
export async function withdrawPriceChanges(tx: Tx, partnerId: Id<'partner'>): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`
    update rate_cards r set withdrawn_at = now()
     where starts_with(quoting_tool_version_id, ${priceChangePrefix}) and withdrawn_at is null and is_restricted
       and exists (select from rate_card_partners p
                    where p.quoting_tool_version_id = r.quoting_tool_version_id and p.partner_id = ${partnerId})
    returning quoting_tool_version_id as id`)
  return rows.map(({ id }) => id)
}

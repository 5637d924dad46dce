import type { RecordedChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { MoveIn, NextOccupier } from './occupiers.ts'
import type { Quote } from './quote.ts'

type OfQuote = Pick<Quote, 'partnerId' | 'quoteId'>

const locationOf = (row: string) => ({ column: 'quotes.next_occupier', row })

/** Who is responsible for the home of a quote next, from its stored form. */
export function openNextOccupier(cipher: FieldCipher, quoteId: string, encrypted: string): NextOccupier {
  return JSON.parse(cipher.decrypt(encrypted, locationOf(quoteId)).toString('utf8')) as NextOccupier
}

/** Who is responsible for the home next; null if nobody said so. */
export async function findNextOccupier(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, quoteId }: OfQuote,
): Promise<NextOccupier | null> {
  const [row] = await db.query<{ encrypted: string | null }>(sql`
    select next_occupier_encrypted as encrypted from quotes where partner_id = ${partnerId} and quote_id = ${quoteId}`)
  return row?.encrypted ? openNextOccupier(cipher, quoteId, row.encrypted) : null
}

/**
 * Replaces how the household moves in and who is responsible for the home next. The caller holds the quote's row lock.
 * Returns false, and changes nothing, if everyone on the quote has been erased.
 */
export async function updateOccupiers(
  tx: Tx,
  _recorded: RecordedChange,
  cipher: FieldCipher,
  { partnerId, quoteId }: OfQuote,
  { moveIn, nextOccupier, now }: { moveIn: MoveIn | null; nextOccupier: NextOccupier | null; now: Date },
): Promise<boolean> {
  const encrypted = nextOccupier && cipher.encrypt(JSON.stringify(nextOccupier), locationOf(quoteId))
  const rows = await tx.query(sql`
    update quotes set move_in = ${moveIn && JSON.stringify(moveIn)}::jsonb, next_occupier_encrypted = ${encrypted},
                      updated_at = ${now}
     where partner_id = ${partnerId} and quote_id = ${quoteId} and persons_removed_at is null
    returning 1`)
  return rows.length === 1
}

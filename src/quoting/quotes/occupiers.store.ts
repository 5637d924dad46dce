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

/**
 * Who moves into the home of a quote and who is responsible for it next, null for what nobody said; undefined if the
 * partner has no such quote.
 */
export async function findOccupiers(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, quoteId }: OfQuote,
): Promise<{ moveIn: MoveIn | null; nextOccupier: NextOccupier | null } | undefined> {
  const [row] = await db.query<{ moveIn: MoveIn | null; encrypted: string | null }>(sql`
    select move_in as "moveIn", next_occupier_encrypted as encrypted from quotes
     where partner_id = ${partnerId} and quote_id = ${quoteId}`)
  if (row === undefined) return undefined
  const { moveIn, encrypted } = row
  return { moveIn, nextOccupier: encrypted === null ? null : openNextOccupier(cipher, quoteId, encrypted) }
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

import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { DomainError, notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { findOccupiers, updateOccupiers } from '../../quoting/quotes/occupiers.store.ts'
import { type MoveIn, type NextOccupier, requireMoveInDay } from '../../quoting/quotes/occupiers.ts'
import { loadQuoteForUpdate } from '../load-quote-for-update.ts'
import { recordContractChange } from '../operator-feeds/record-contract-change.ts'

/** Who moves into a home, and who is responsible for it next. Null is what nobody has said. */
export interface Occupiers {
  quoteId: Id<'quote'>
  moveIn: MoveIn | null
  nextOccupier: NextOccupier | null
}

/**
 * PATCH /Quotes/{id}/occupiers (not in the specification), and a lead tenant's page: says how the household moves in and
 * who is responsible for the home next, in every stage. Each replaces what was said before; what is left out stays. The
 * same again changes nothing. Throws `validation_failed` for a day of moving in after the first day of the contract or
 * more than a year before, `customer_erased` if everyone on the quote was erased, and `not_found`.
 */
export function changeOccupiers(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  quoteId: Id<'quote'>,
  given: { moveIn: MoveIn | undefined; nextOccupier: NextOccupier | undefined },
): Promise<Occupiers> {
  return inTransaction(db, caller, async (tx) => {
    const quote = await loadQuoteForUpdate(tx, cipher, caller, quoteId)
    requireMoveInDay(given.moveIn, quote.contractStartDate)
    const before = (await findOccupiers(tx, cipher, quote)) ?? { moveIn: null, nextOccupier: null }
    const after = { moveIn: given.moveIn ?? before.moveIn, nextOccupier: given.nextOccupier ?? before.nextOccupier }
    if (isSame(before, after)) return { quoteId, ...after }
    const { partnerId, now } = caller
    await recordContractChange(tx, { partnerId, quoteId, change: 'occupiers_changed' }, async (recorded) => {
      if (!(await updateOccupiers(tx, recorded, cipher, quote, { ...after, now }))) throw everyoneErased()
    })
    return { quoteId, ...after }
  })
}

/** GET /Quotes/{id}/occupiers (not in the specification). Throws `not_found`. */
export async function readOccupiers(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  { partnerId }: Pick<Caller, 'partnerId'>,
  quoteId: Id<'quote'>,
): Promise<Occupiers> {
  const occupiers = await findOccupiers(db, cipher, { partnerId, quoteId })
  if (occupiers === undefined) throw notFound('quote')
  return { quoteId, ...occupiers }
}

function isSame(one: Omit<Occupiers, 'quoteId'>, other: Omit<Occupiers, 'quoteId'>): boolean {
  const { moveIn: a, nextOccupier: b } = one
  const { moveIn: c, nextOccupier: d } = other
  return (
    ['date', 'electricitySupplier', 'gasSupplier'].every((name) => a?.[name as 'date'] === c?.[name as 'date']) &&
    ['who', 'name', 'contact'].every((name) => b?.[name as 'name'] === d?.[name as 'name'])
  )
}

function everyoneErased(): DomainError {
  return new DomainError(
    'customer_erased',
    'Everyone on this quote has been erased, so nothing more can be kept with it.',
  )
}

import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { changeFacts, type GivenFacts } from './change-facts.ts'
import type { ChangeDependencies } from './change-quote.ts'
import type { Quote } from './quote.ts'
import { requireOperation } from './quote-operations.ts'
import { type OwnFields, updateOwnFields } from './quotes.store.ts'
import { saveQuote } from './save-quote.ts'

/**
 * Says whether everybody who shares the bills is on the quote. Saying it again changes nothing, in every stage. The
 * caller holds the quote's row lock. Throws `quote_locked` or `quote_cancelled` unless the quote is open.
 */
async function markHouseholdComplete(
  tx: Tx,
  caller: Pick<Caller, 'now' | 'partnerId'>,
  quote: Quote,
  isComplete: boolean,
): Promise<Quote> {
  if (isComplete === (quote.householdCompleteAt !== null)) return quote
  requireOperation(quote, 'set-household-complete', caller.now)
  return saveQuote(tx, caller, quote, { ...quote, householdCompleteAt: isComplete ? caller.now : null })
}

interface QuoteChanges extends GivenFacts, OwnFields {
  householdComplete?: boolean
}

/**
 * PATCH /Quotes/{id} (not in the specification). Replaces the partner's own fields, in every stage, says
 * what is known of the tenancy and the meters, and whether the household is complete, while the quote is open. Throws as
 * `changeFacts`, and `customer_erased` if everyone on the quote has been erased, because the partner's own words could
 * name them. `requireOf` may refuse the quote, once it is locked, by throwing.
 */
export async function updateQuote(
  deps: ChangeDependencies & { db: Database },
  caller: Caller,
  quoteId: Id<'quote'>,
  { metadata, branch, soldBy, householdComplete, ...facts }: QuoteChanges,
  requireOf: (quote: Quote) => void = () => undefined,
): Promise<Quote> {
  const { db, cipher } = deps
  return inTransaction(db, caller, async (tx) => {
    const found = await deps.loadQuoteForUpdate(tx, cipher, caller, quoteId)
    requireOf(found)
    const hasFacts = Object.values(facts).some((given) => given !== undefined)
    const quote = hasFacts ? await changeFacts(tx, deps, caller, found, facts) : found
    const marked =
      householdComplete === undefined ? quote : await markHouseholdComplete(tx, caller, quote, householdComplete)
    const own = Object.entries({ metadata, branch, soldBy }).filter(([, value]) => value !== undefined)
    if (own.length === 0) return marked
    if (!(await updateOwnFields(tx, cipher, marked, { metadata, branch, soldBy }, caller.now))) throw everyoneErased()
    return { ...marked, ...Object.fromEntries(own) }
  })
}

function everyoneErased(): DomainError {
  return new DomainError(
    'customer_erased',
    'Everyone on this quote has been erased, so nothing more can be kept with it. Add a tenant, or create a new quote.',
  )
}

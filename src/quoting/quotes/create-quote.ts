import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { Package } from '../packages/package.ts'
import { insertNewQuote, type NewQuoteDependencies, type NewQuoteInput, prepareQuote } from './new-quote.ts'
import type { Quote } from './quote.ts'

/** Spec: POST /Quotes. Creates a quote for a property and returns the packages it can select. Throws as `prepareQuote`. */
export async function createQuote(
  deps: NewQuoteDependencies & { db: Database },
  caller: Caller,
  input: NewQuoteInput,
): Promise<{ quote: Quote; availablePackages: Package[] }> {
  const { quote, availablePackages } = await prepareQuote(deps, caller, input)
  return inTransaction(deps.db, caller, async (tx) => {
    await insertNewQuote(tx, deps.cipher, caller, quote)
    // The response says draft even if packages were sent, but the next GET says PackagesSelected
    // (contributing/decisions/specification.md#contradictions).
    return { quote: { ...quote, stepLabel: 'draft' as const }, availablePackages }
  })
}

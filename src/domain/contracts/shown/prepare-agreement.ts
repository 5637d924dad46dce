import type { Queryable } from '../../../db/database.ts'
import { londonDate } from '../../../kernel/dates.ts'
import type { Customer } from '../../customers/customer.ts'
import type { PlannedPayment } from '../../payments/plan/payment-plan.ts'
import type { QuotePrice } from '../../pricing/price.ts'
import type { Quote } from '../../quotes/quote.ts'
import type { RateCard } from '../../rates/rate-card.ts'
import type { ContractDependencies } from '../agree-to-contract.ts'
import { termsTextOf } from '../terms-text.ts'
import { type Agreement, agreementOf, hashOf } from './agreement.ts'
import { planToAgree } from './plan-to-agree.ts'
import { findLastShown, type ShownRecord } from './shown-terms.store.ts'

/** What a tenant would agree to now, and what its documents are made from. */
export interface PreparedAgreement {
  quote: Quote
  customer: Customer
  price: QuotePrice
  card: RateCard
  plan: readonly PlannedPayment[]
  agreement: Agreement
  documentHash: string
  /** What the tenant was shown last; undefined if nothing. */
  lastShown: ShownRecord | undefined
}

/** Works out what the tenant would agree to now. Preview and acceptance use the same function, so that what is shown is what is agreed. */
export async function prepareAgreement(
  db: Queryable,
  { cipher, cards, bankHolidays, operator }: ContractDependencies,
  { quote, customer, now }: { quote: Quote; customer: Customer; now: Date },
): Promise<PreparedAgreement> {
  const { price } = quote
  if (price === null) throw new Error('the quote has packages but no price')
  const card = await cards.load(db, price.quotingToolVersionId)
  const lastShown = await findLastShown(db, cipher, customer)
  const plan = planToAgree(quote, price, customer, { today: londonDate(now), bankHolidays, shown: lastShown?.content })
  const agreement = agreementOf({ quote, price, customer, plan, card, operator, terms: termsTextOf(operator) })
  return { quote, customer, price, card, plan, agreement, documentHash: hashOf(agreement), lastShown }
}

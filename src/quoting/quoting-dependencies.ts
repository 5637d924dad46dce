import type { planForCustomer } from '../payments/plan/plan-payments.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { AddressSource } from '../properties/property.ts'
import type { LoadQuoteForUpdate } from './quotes/load-quote.ts'
import type { QuotePolicy } from './quotes/quote-policy.ts'
import type { PsrCategoryDefinition } from './tenants/psr.ts'
import type { RemoveTenantsOf } from './tenants/remove-tenants.ts'

/** What quotes are made with. The last three are the means of modules that come later. */
export interface QuotingDependencies {
  addresses: AddressSource
  /** How many lines of addresses a partner can have matched a day; 0 for any number. */
  addressMatchesPerDay: number
  psrCategories: readonly PsrCategoryDefinition[]
  quotePolicy: QuotePolicy
  bankHolidays: BankHolidays
  loadQuoteForUpdate: LoadQuoteForUpdate
  removeTenantsOf: RemoveTenantsOf
  planForCustomer: typeof planForCustomer
}

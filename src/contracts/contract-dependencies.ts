import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { RateCardCatalogue } from '../quoting/rates/card-catalogue.ts'
import type { DocumentRenderer } from './document-renderer.ts'
import type { TenantMailDependencies } from './mails/queue-mails.ts'
import type { AgreedTerms } from './terms/agreed-terms.ts'

/** What contracts, their documents and the e-mails about them are made from and with. */
export interface ContractDependencies extends TenantMailDependencies {
  cards: RateCardCatalogue
  bankHolidays: BankHolidays
  documentRenderer: DocumentRenderer
  /** The current version of the terms, as stored. */
  terms: AgreedTerms
}

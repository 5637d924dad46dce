import type { Confirmer } from '../partners/partner-settings.schema.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { BankHolidays } from '../platform/kernel/working-days.ts'
import type { RateCardCatalogue } from '../quoting/rates/card-catalogue.ts'
import type { DocumentRenderer } from './document-renderer.ts'
import type { OperatorFile } from './operator-file.ts'
import type { AgreedTerms } from './terms/agreed-terms.ts'

/** What contracts and their documents are made from and with. */
export interface ContractDependencies {
  cipher: FieldCipher
  cards: RateCardCatalogue
  bankHolidays: BankHolidays
  documentRenderer: DocumentRenderer
  operator: OperatorFile
  /** The current version of the terms, as stored. */
  terms: AgreedTerms
  realm: 'sandbox' | 'live'
  /**
   * Who sends tenants the confirmations of their contracts, unless the operator chose somebody else for the partner.
   */
  confirmsByDefault: Confirmer
}

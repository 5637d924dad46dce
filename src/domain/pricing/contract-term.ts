import type { IsoDate } from '../../kernel/dates.ts'

/** The days a household is priced for: both ends belong to the contract; bills run from `billingDay`, 1–28. */
export interface ContractTerm {
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  billingDay: number
}

import type { IsoDate } from '../../kernel/dates.ts'

/** The first and last day that a household is priced for, both inclusive. Bills run from `billingDay`, 1–28. */
export interface ContractTerm {
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  billingDay: number
}

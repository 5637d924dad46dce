import type { IsoDate } from '../../kernel/dates.ts'

/** The days that a household is priced for, inclusive. Bills run from `billingDay`, 1–28. */
export interface ContractTerm {
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  billingDay: number
}

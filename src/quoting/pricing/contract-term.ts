import type { IsoDate } from '../../platform/kernel/dates.ts'

/**
 * The first and last day that a household is priced for, both inclusive, and the day (1 to 28) on which its billing
 * months start.
 */
export interface ContractTerm {
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  billingDay: number
}

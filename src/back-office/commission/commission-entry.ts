import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { Pence } from '../../platform/kernel/money.ts'
import type { Month } from './commission-month.ts'

/** `earned`: for a contract. `clawback`: taken back of it, because the contract ended early or was cancelled. */
export const commissionEntryKinds = ['earned', 'clawback'] as const

/** A line of a partner's statement, with what it was worked out from. It never changes. Amounts are in pence. */
export interface CommissionEntry {
  partnerId: Id<'partner'>
  contractNumber: string
  kind: (typeof commissionEntryKinds)[number]
  quoteId: Id<'quote'>
  countsOn: IsoDate
  /** The statement it is on: the month of `countsOn` or, if that was closed, the first open one. */
  month: Month
  /** Negative for a clawback. */
  amount: Pence
  termNumber: number
  /** The number of the contract among those of the month of `countsOn`, from 1; null for a clawback. */
  numberInMonth: number | null
  /** The value of the contract, without VAT. */
  valueNet: Pence
  /** The rate: hundredths of a percent of the value, or an amount. The other is null. */
  basisPoints: number | null
  fixedAmount: Pence | null
  termDays: number
  /** The days of the household's whole term. */
  householdDays: number
  /** The days of the term that were not supplied; 0 for an earning. */
  unsuppliedDays: number
}

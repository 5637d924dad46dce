import type { IsoDate } from '../../../kernel/dates.ts'
import type { Pence } from '../../../kernel/money.ts'

/** One taking from a tenant's card. `date` is the working day it is taken on; the period is what it pays for. */
export interface PlannedPayment {
  date: IsoDate
  amount: Pence
  /** `first` also names a single payment. */
  kind: 'first' | 'monthly' | 'last'
  periodStart: IsoDate
  periodEnd: IsoDate
  description: string
}

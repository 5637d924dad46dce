import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Pence } from '../../platform/kernel/money.ts'

/** A payment from a tenant's card. `date` is the working day on which it is taken. The period is what it pays for. */
export interface PlannedPayment {
  date: IsoDate
  amount: Pence
  /** If a plan has a single payment, its kind is `first`. `fee`: for a failed payment, owed besides the plan. */
  kind: 'first' | 'monthly' | 'last' | 'fee'
  periodStart: IsoDate
  periodEnd: IsoDate
  description: string
}

import type { IsoDate } from '../../../kernel/dates.ts'
import type { Pence } from '../../../kernel/money.ts'

/** A payment from a tenant's card. `date` is the working day it is taken; the period is what it pays for. */
export interface PlannedPayment {
  date: IsoDate
  amount: Pence
  /** A plan's only payment is `first`. */
  kind: 'first' | 'monthly' | 'last'
  periodStart: IsoDate
  periodEnd: IsoDate
  description: string
}

import { type IsoDate, isIsoDate } from '../kernel/dates.ts'
import { type Pence, pence } from '../kernel/money.ts'
import type { VariableReader } from './parse.ts'

/** Whether Housebill itself has the payment processor pay refunds. */
export type RefundingConfig = { mode: 'off' } | { mode: 'on'; from: IsoDate; dailyLimit: Pence }

/** Reads the settings and reports contradictions among them. */
export function readRefunding(read: VariableReader): RefundingConfig {
  const mode = read.choice('REFUNDS', ['off', 'on'])
  const dailyLimitPounds = read.integer('REFUNDS_DAILY_LIMIT_POUNDS', 1_000, { min: 1, max: 20_000_000 })
  const from = read.text('REFUNDS_FROM')
  if (from !== undefined && !isIsoDate(from))
    read.problems.push(`REFUNDS_FROM must be a date such as 2027-01-01; it is "${from}"`)
  if (mode === 'off') return { mode }
  if (from === undefined)
    read.problems.push('REFUNDS=on needs REFUNDS_FROM: refunds that were planned before that day are never paid by it')
  if (from === undefined || !isIsoDate(from)) return { mode: 'off' }
  return { mode, from, dailyLimit: pence(dailyLimitPounds * 100) }
}

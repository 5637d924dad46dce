import { type IsoDate, isIsoDate } from '../kernel/dates.ts'
import { type Pence, pence } from '../kernel/money.ts'
import type { VariableReader } from './parse.ts'

/** Whether Housebill itself asks the payment processor for payments that are due. */
export type CollectingConfig = { mode: 'off' } | { mode: 'dry run' | 'on'; from: IsoDate; dailyLimit: Pence }

/** Reads the settings and reports contradictions among them. */
export function readCollecting(read: VariableReader): CollectingConfig {
  const mode = read.choice('COLLECTIONS', ['off', 'dry-run', 'on'])
  const dailyLimitPounds = read.integer('COLLECTIONS_DAILY_LIMIT_POUNDS', 10_000, { min: 1, max: 20_000_000 })
  const from = read.text('COLLECTIONS_FROM')
  if (from !== undefined && !isIsoDate(from))
    read.problems.push(`COLLECTIONS_FROM must be a date such as 2027-01-01; it is "${from}"`)
  if (mode === 'off') return { mode }
  if (from === undefined)
    read.problems.push(
      `COLLECTIONS=${mode} needs COLLECTIONS_FROM: payments that were due before that day are never asked for`,
    )
  if (from === undefined || !isIsoDate(from)) return { mode: 'off' }
  return { mode: mode === 'on' ? 'on' : 'dry run', from, dailyLimit: pence(dailyLimitPounds * 100) }
}

import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction, type Tx } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { hasUnendedContract, listEarningsToClawBack, listReductionsToCount } from './commission-entries.store.ts'
import { lastDayOf, type Month } from './commission-month.ts'
import { findLastClosed, insertClosing, listTerms, lockCommission, updatePaidOn } from './commission-terms.store.ts'
import { contractsToEarn } from './record-entries.ts'

/**
 * POST /operator-api/Reports/commission/{partnerId}/close: closes a month of a partner and every month before it, for
 * ever, and says on which day it was paid. Repeating it is harmless. Throws `commission_month_open` if the month is not
 * over or not everything that belongs to it has been recorded, and `validation_failed` for a day that is to come.
 */
export async function closeCommissionMonth(
  { db }: { db: Database },
  caller: Pick<Caller, 'partnerId' | 'now' | 'responseRecorder'>,
  { month, paidOn }: { month: Month; paidOn: IsoDate | undefined },
): Promise<{ partnerId: Id<'partner'>; month: Month; paidOn: IsoDate | null }> {
  const { partnerId, now } = caller
  if (paidOn !== undefined && paidOn > londonDate(now))
    throw invalidFields([{ pointer: '/paidOn', code: 'not_allowed', detail: 'Send a day that is not to come.' }])
  return inTransaction(db, caller, async (tx) => {
    await lockCommission(tx, partnerId)
    const closed = await findLastClosed(tx, partnerId)
    if (closed === null || closed < month) {
      if (londonDate(now) <= lastDayOf(month))
        throw notClosable(`${month} is not over. Close it after ${lastDayOf(month)}.`)
      if (!(await isRecorded(tx, partnerId, month)))
        throw notClosable(`Not everything of ${month} has been recorded. A job does so once an hour: try again later.`)
      await insertClosing(tx, partnerId, month, now)
    }
    return { partnerId, month, paidOn: await updatePaidOn(tx, partnerId, month, paidOn ?? null) }
  })
}

/** Whether every entry that counts in the month or before has been recorded. */
async function isRecorded(tx: Tx, partnerId: Id<'partner'>, month: Month): Promise<boolean> {
  const due = { until: lastDayOf(month), limit: 1 }
  const terms = await listTerms(tx, partnerId)
  if (terms.length === 0) return true
  const missing = [
    ...(await contractsToEarn(tx, partnerId, terms, due)),
    ...(await listEarningsToClawBack(tx, partnerId, due)),
    ...(await listReductionsToCount(tx, partnerId, due)),
  ]
  return missing.length === 0 && !(await hasUnendedContract(tx, partnerId, due.until))
}

function notClosable(detail: string): DomainError {
  return new DomainError('commission_month_open', detail)
}

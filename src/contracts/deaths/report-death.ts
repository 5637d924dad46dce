import type { Caller } from '../../partners/caller.ts'
import { holdCollecting } from '../../payments/collecting/holds.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { invalidFields } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { addWorkingDays, type BankHolidays, divisionOfCountry } from '../../platform/kernel/working-days.ts'
import { loadCustomerWithQuoteForUpdate } from '../load-quote-of-customer.ts'
import { findMailing } from '../mails/tenant-mails.store.ts'
import { type DeathReportDetails, insertDeathReport, listDeathReports } from './deaths.store.ts'

/** How many working days the operator has to confirm a report or to lift it. */
const decisionDays = 10
/** How many open reports about one customer their housemates can leave. */
const maxOpenReports = 5

/** What is said about a death. `housemateId` is the tenant who reports it on their pages. */
export type ReportedDeath = Pick<DeathReportDetails, 'relationship'> &
  Partial<Pick<DeathReportDetails, 'diedOn' | 'estate' | 'comment' | 'housemateId'>>

/**
 * POST /Customers/{id}/report-death (not in the specification). Holds e-mails to the customer and collection from them
 * at once, until the operator confirms the report or lifts it, and tells nobody else. After a report was lifted, a
 * housemate's holds nothing any more: the operator decides. Throws `validation_failed`.
 */
export async function reportDeath(
  { db, cipher, bankHolidays }: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
  { relationship, diedOn = null, estate = null, comment = null, housemateId = null }: ReportedDeath,
): Promise<{ customerId: Id<'tenant'>; reportedAt: Date }> {
  const { partnerId, now } = caller
  const today = londonDate(now)
  if (diedOn !== null && diedOn > today)
    throw invalidFields([{ pointer: '/diedOn', code: 'out_of_range', detail: `Must not be after today (${today}).` }])
  return inTransaction(db, caller, async (tx) => {
    const { quote } = await loadCustomerWithQuoteForUpdate(tx, cipher, caller, customerId)
    const about = { partnerId, customerId }
    const earlier = await listDeathReports(tx, cipher, about)
    const open = earlier.filter(({ outcome }) => outcome === null)
    const isConfirmed = earlier.some(({ outcome }) => outcome === 'confirmed')
    const isByHousemate = housemateId !== null
    if (!isConfirmed && !(isByHousemate && open.length >= maxOpenReports)) {
      const { actor: reportedBy } = await findMailing(tx, partnerId)
      const isHeld = !isByHousemate || !earlier.some(({ outcome }) => outcome === 'lifted')
      const division = divisionOfCountry(quote.address.country)
      await insertDeathReport(tx, cipher, about, {
        details: { reportedBy, housemateId, relationship, diedOn, estate, comment },
        dueOn: addWorkingDays(today, decisionDays, division, bankHolidays) as IsoDate,
        ...{ quoteId: quote.quoteId, now, isHeld },
      })
      if (isHeld && !open.some((each) => each.isHeld))
        await holdCollecting(tx, about, { cause: 'death', dueAfter: null, until: null, now })
    }
    return { customerId, reportedAt: now }
  })
}

import { queueMails, type TenantMailDependencies } from '../../contracts/mails/queue-mails.ts'
import type { Caller } from '../../partners/caller.ts'
import { reportPaymentChange } from '../../payments/change-payment-status.ts'
import { findPutBack, type OperatorPayment } from '../../payments/ledger/operator-payments.store.ts'
import { insertPaymentEntries } from '../../payments/ledger/payment-entries.store.ts'
import { recount } from '../../payments/ledger/recount.ts'
import { loadPayment, lockQuoteOfPayment } from '../../payments/load-payment.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { addDays, type IsoDate, londonDate } from '../../platform/kernel/dates.ts'
import { DomainError, invalidFields } from '../../platform/kernel/errors.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { pence } from '../../platform/kernel/money.ts'
import { type BankHolidays, divisionOfCountry, nextWorkingDay } from '../../platform/kernel/working-days.ts'

/** A customer must be told of a payment this many days before it is taken. */
const noticeDays = 10

/**
 * POST /operator-api/Payments/{entryId}/put-back: puts what is owed again of a payment on the plan, as a payment of its
 * own, and tells the tenant. Returns the new payment. Throws `payment_status_not_allowed` if nothing is owed again,
 * `validation_failed` for a day that is too early or more than is owed, and `not_found`.
 */
export function putBack(
  deps: TenantMailDependencies & { db: Database; bankHolidays: BankHolidays },
  caller: Caller,
  { entryId, dueOn, amount }: { entryId: Id<'entry'>; dueOn: IsoDate; amount: number | undefined },
): Promise<OperatorPayment> {
  const { db, cipher } = deps
  const { partnerId, now } = caller
  return inTransaction(db, caller, async (tx) => {
    const { quote, customerId } = await lockQuoteOfPayment(tx, cipher, partnerId, entryId)
    const { owedAgain, contractNumber, kind, periodStart, periodEnd, description } = await loadPayment(
      tx,
      cipher,
      partnerId,
      entryId,
    )
    if (owedAgain === 0)
      throw new DomainError(
        'payment_status_not_allowed',
        'Nothing of this payment is owed again and waits to be put back.',
      )
    const earliest = addDays(londonDate(now), noticeDays)
    if (dueOn < earliest)
      throw outOfRange('/dueDate', `Must be ${earliest} or later, so that the customer is told ten days before.`)
    if (amount !== undefined && amount > owedAgain)
      throw outOfRange('/amount', `Must be at most ${owedAgain}, which is what is owed again.`)
    const date = nextWorkingDay(dueOn, divisionOfCountry(quote.address.country), deps.bankHolidays)
    const again = { contractNumber, kind, date, amount: pence(amount ?? owedAgain), againFor: entryId }
    await insertPaymentEntries(tx, { partnerId, customerId }, [{ ...again, periodStart, periodEnd, description }], now)
    await recount(tx, partnerId, entryId, { now })
    await reportPaymentChange(tx, quote, customerId, now)
    const tenant = quote.tenants.find(({ tenantId }) => tenantId === customerId)
    const facts = { amount: again.amount, date, description }
    if (tenant !== undefined)
      await queueMails(tx, deps, caller, quote, [
        { kind: 'payment_put_back', customerId, personal: tenant.personal, facts },
      ])
    const added = await findPutBack(tx, partnerId, entryId)
    if (added === undefined) throw new Error('a payment was not put back')
    return loadPayment(tx, cipher, partnerId, added)
  })
}

function outOfRange(pointer: string, detail: string): DomainError {
  return invalidFields([{ pointer, code: 'out_of_range', detail }])
}

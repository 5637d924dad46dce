import type { Database } from '../../../db/database.ts'
import { type IsoDate, londonDate } from '../../../kernel/dates.ts'
import { DomainError } from '../../../kernel/errors.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { BankHolidays } from '../../../kernel/working-days.ts'
import type { Caller } from '../../auth/caller.ts'
import { loadCustomer } from '../../customers/load-customer.ts'
import type { TenantShare } from '../../pricing/price.ts'
import { shareOf } from '../../pricing/share-of.ts'
import { loadQuoteOfCustomer } from '../../quotes/load-quote.ts'
import { requireOperation } from '../../quotes/quote-operations.ts'
import { loadScheduledPayments, type ScheduledPayment } from '../ledger/scheduled-payments.ts'
import { requirePersonalInformation } from '../personal-information-required.ts'
import { nextPaymentDate } from './plan-payments.ts'

export interface PaymentSchedule {
  customerId: Id<'tenant'>
  share: TenantShare
  payments: ScheduledPayment[]
  nextPaymentDate: IsoDate
}

/**
 * Spec: GET /Customers/{id}/payment-schedules. What this customer pays and when. Throws `personal_information_required` and
 * `packages_required`.
 */
export async function getPaymentSchedules(
  { db, cipher, bankHolidays }: { db: Database; cipher: FieldCipher; bankHolidays: BankHolidays },
  caller: Caller,
  customerId: Id<'tenant'>,
): Promise<PaymentSchedule> {
  const [customer, quote] = await Promise.all([
    loadCustomer(db, cipher, caller, customerId),
    loadQuoteOfCustomer(db, cipher, caller, customerId),
  ])
  requireOperation(quote, 'payment-schedules', caller.now)
  requirePersonalInformation(customer)
  if (quote.price === null)
    throw new DomainError(
      'packages_required',
      'The quote has no packages. First select some with POST /Quotes/{id}/add-packages.',
    )
  const { price } = quote
  const payments = await loadScheduledPayments(db, { quote, price, customer, now: caller.now, bankHolidays })
  return {
    customerId,
    share: shareOf(price, customerId),
    payments,
    nextPaymentDate: nextPaymentDate(payments, londonDate(caller.now)),
  }
}

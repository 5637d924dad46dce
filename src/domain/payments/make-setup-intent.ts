import type { Database } from '../../db/database.ts'
import { type Customer, fullName } from '../customers/customer.ts'
import type { PaymentProcessor, SetupIntent, SharedWait } from './payment-processor.ts'
import { markProcessorAsked, updateProcessorCustomer } from './processor-customers.store.ts'

/**
 * Makes the customer at the processor, where there is none yet, and an intent of theirs: the number-`ordinal` one we know of.
 * Works outside any transaction; every call can be repeated after a crash. The processor's id of the customer is stored as
 * soon as it is known, and calls so old that the processor has forgotten their keys are looked for before they are repeated.
 */
export async function makeSetupIntent(
  { db, paymentProcessor }: { db: Database; paymentProcessor: PaymentProcessor },
  customer: Customer,
  ordinal: number,
  wait: SharedWait,
): Promise<SetupIntent> {
  const { customerId, quoteId, partnerId, personal } = customer
  const about = { customerId, quoteId, partnerId }
  const known = await markProcessorAsked(db, partnerId, customerId)
  const { keysMayBeForgotten } = known
  let { processorCustomerId } = known
  // Until there is an intent the tenant may have corrected their details since the customer was made.
  if (processorCustomerId === null || ordinal === 1) {
    const person = { name: fullName(personal), email: personal.email, existing: processorCustomerId }
    const idempotencyKey = `housebill:customer:${customerId}`
    const created = await paymentProcessor.createCustomer(
      { ...about, ...person, idempotencyKey, keysMayBeForgotten },
      wait,
    )
    if (processorCustomerId === null)
      await updateProcessorCustomer(db, { partnerId, customerId, processorCustomerId: created.processorCustomerId })
    processorCustomerId = created.processorCustomerId
  }
  const idempotencyKey = `housebill:setup-intent:${customerId}:${ordinal}`
  return paymentProcessor.createSetupIntent({ ...about, processorCustomerId, idempotencyKey, keysMayBeForgotten }, wait)
}

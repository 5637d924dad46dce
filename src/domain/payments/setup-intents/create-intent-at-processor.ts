import type { Database } from '../../../db/database.ts'
import { type Customer, fullName } from '../../customers/customer.ts'
import type { PaymentProcessor, SetupIntent, SharedDeadline } from '../payment-processor.ts'
import { recordFirstProcessorCall, updateProcessorCustomer } from '../processor-customers.store.ts'
import type { StoredSetupIntent } from './setup-intents.store.ts'

/**
 * Creates a setup intent at the processor, after creating the customer there if necessary. `earlier` are the
 * customer's earlier intents. Runs outside any transaction. Every call can safely be repeated after a crash. Stores the processor's
 * customer id as soon as it is known. If the processor may have forgotten the idempotency keys of an earlier call, looks for what
 * that call created before repeating it.
 */
export async function createIntentAtProcessor(
  { db, paymentProcessor }: { db: Database; paymentProcessor: PaymentProcessor },
  customer: Customer,
  earlier: readonly StoredSetupIntent[],
  wait: SharedDeadline,
): Promise<SetupIntent> {
  const { customerId, quoteId, partnerId, personal } = customer
  const about = { customerId, quoteId, partnerId }
  const known = await recordFirstProcessorCall(db, partnerId, customerId)
  const { keysMayBeForgotten } = known
  const ordinal = earlier.length + 1
  let { processorCustomerId } = known
  // The tenant may have corrected their details before the first intent.
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
  return paymentProcessor.createSetupIntent(
    {
      ...about,
      processorCustomerId,
      idempotencyKey,
      keysMayBeForgotten,
      known: earlier.map(({ setupIntentId }) => setupIntentId),
    },
    wait,
  )
}

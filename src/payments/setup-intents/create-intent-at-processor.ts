import type { Database } from '../../platform/db/database.ts'
import { type Customer, fullName } from '../../quoting/tenants/customer.ts'
import { recordFirstProcessorCall } from '../../quoting/tenants/processor-customer.store.ts'
import type { PaymentProcessor, SetupIntent, SharedDeadline } from '../payment-processor.ts'
import { replaceProcessorCustomer } from '../processor-customers.store.ts'
import type { StoredSetupIntent } from './setup-intents.store.ts'

/**
 * Creates a setup intent at the processor, after creating or updating the customer there. A customer that was deleted
 * there is created anew, and their earlier cards count as missing. `earlier` are the customer's earlier intents. Runs
 * outside any transaction. Every call can safely be repeated after a crash. Stores the processor's customer id as soon
 * as it is known. If the processor may have forgotten the idempotency keys of an earlier call, looks for what that call
 * created before repeating it. Returns undefined, and calls nothing, if the customer has just been erased or removed.
 */
export async function createIntentAtProcessor(
  { db, paymentProcessor }: { db: Database; paymentProcessor: PaymentProcessor },
  customer: Customer,
  earlier: readonly StoredSetupIntent[],
  wait: SharedDeadline,
): Promise<SetupIntent | undefined> {
  const { customerId, quoteId, partnerId, personal } = customer
  const about = { customerId, quoteId, partnerId }
  const known = await recordFirstProcessorCall(db, partnerId, customerId)
  if (known === undefined) return undefined
  const { keysMayBeForgotten } = known
  const ordinal = earlier.length + 1
  // The tenant may have corrected their details, and somebody may have deleted the customer in the processor's
  // dashboard.
  const person = { name: fullName(personal), email: personal.email, existing: known.processorCustomerId }
  const { processorCustomerId } = await paymentProcessor.createCustomer(
    { ...about, ...person, idempotencyKey: `housebill:customer:${customerId}`, keysMayBeForgotten },
    wait,
  )
  if (processorCustomerId !== known.processorCustomerId) {
    const replaces = known.processorCustomerId
    const isStored = await replaceProcessorCustomer(db, { partnerId, customerId, processorCustomerId, replaces })
    // They were erased or removed while the processor created the customer anew. Their deletion does not know it.
    if (!isStored && replaces !== null) await paymentProcessor.deleteCustomer({ customerId, processorCustomerId })
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

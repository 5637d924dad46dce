import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { hasIntentEnded, type PaymentProcessor, type SetupIntent } from '../payment-processor.ts'
import { listSetupIntents } from './setup-intents.store.ts'

interface Dependencies {
  db: Database
  paymentProcessor: PaymentProcessor
}

/** The customer's latest set-up of a card, as the processor has it now; undefined if there was none. */
export async function readLatestSetupIntent(
  { db, paymentProcessor }: Dependencies,
  { partnerId }: Pick<Caller, 'partnerId'>,
  customerId: Id<'tenant'>,
): Promise<SetupIntent | undefined> {
  const [latest] = await listSetupIntents(db, partnerId, customerId)
  return latest && paymentProcessor.readSetupIntent(latest.setupIntentId)
}

/** The customer's set-up that waits for a card, as the processor has it now; undefined if none does. */
export async function readOpenSetupIntent(
  { db, paymentProcessor }: Dependencies,
  { partnerId }: Pick<Caller, 'partnerId'>,
  customerId: Id<'tenant'>,
): Promise<SetupIntent | undefined> {
  const stored = await listSetupIntents(db, partnerId, customerId)
  const open = stored.find((each) => !hasIntentEnded(each) && !each.cancelWanted)
  if (open === undefined) return undefined
  const intent = await paymentProcessor.readSetupIntent(open.setupIntentId)
  return hasIntentEnded(intent) || intent.status === 'processing' || intent.isCustomerDeleted ? undefined : intent
}

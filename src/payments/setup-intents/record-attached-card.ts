import type { RecordContractChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PaymentProcessor, SharedDeadline } from '../payment-processor.ts'
import { listSetupIntents, updateCard } from './setup-intents.store.ts'

export interface CardDependencies {
  db: Database
  cipher: FieldCipher
  paymentProcessor: PaymentProcessor
  recordContractChange: RecordContractChange
}

/**
 * Reads the card that a succeeded intent attached, and stores its details. A card that replaces another is first made
 * the customer's default at the processor; until then, the old card is. Does nothing if the intent has not succeeded or
 * its card is stored. Calls the processor, so it must run outside any transaction. Can be repeated: a scheduled job
 * does so while the card is not stored. Throws
 * `service_unavailable`.
 */
export async function recordAttachedCard(
  { db, cipher, paymentProcessor, recordContractChange }: CardDependencies,
  owner: { partnerId: Id<'partner'>; customerId: Id<'tenant'> },
  setupIntentId: string,
  wait?: SharedDeadline,
): Promise<void> {
  const { partnerId, customerId } = owner
  const intents = await listSetupIntents(db, partnerId, customerId)
  const stored = intents.find((intent) => intent.setupIntentId === setupIntentId)
  if (stored === undefined || stored.status !== 'succeeded' || stored.hasCard) return
  // The first one is the card in use: a replacement that was itself replaced must not become the default.
  const makeDefault = stored.replacesCard && intents[0] === stored
  const card = await paymentProcessor.readCard({ setupIntentId, makeDefault }, wait)
  if (card === null) return
  await inTransaction(db, {}, (tx) =>
    recordContractChange(tx, { partnerId, customerId, change: 'payment_method_changed' }, (recorded) =>
      updateCard(tx, recorded, cipher, { partnerId, setupIntentId, card }),
    ),
  )
}

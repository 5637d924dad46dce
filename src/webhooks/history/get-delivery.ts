import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import { notFound } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { DeliveryWithAttempts } from '../delivery/delivery.ts'
import { completeBody } from '../messages/complete-body.ts'
import { findDelivery } from './delivery-log.store.ts'

/**
 * GET /Deliveries/{id} (not in the specification). A delivery with what each attempt sent and received. Throws
 * `not_found`.
 */
export async function getDelivery(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  deliveryId: Id<'delivery'>,
): Promise<DeliveryWithAttempts> {
  const delivery = await findDelivery(db, caller.partnerId, deliveryId)
  if (delivery === undefined) throw notFound('delivery')
  return { ...delivery, body: completeBody(cipher, delivery) }
}

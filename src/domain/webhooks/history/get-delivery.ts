import type { Database } from '../../../db/database.ts'
import { notFound } from '../../../kernel/errors.ts'
import type { FieldCipher } from '../../../kernel/field-encryption.ts'
import type { Id } from '../../../kernel/ids.ts'
import type { Caller } from '../../auth/caller.ts'
import type { DeliveryWithAttempts } from '../delivery/delivery.ts'
import { completeBody } from '../messages/complete-body.ts'
import { findDelivery } from './delivery-log.store.ts'

/** GET /Deliveries/{id} (not in the specification). A delivery with what each attempt sent and received. Throws `not_found`. */
export async function getDelivery(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  caller: Caller,
  deliveryId: Id<'delivery'>,
): Promise<DeliveryWithAttempts> {
  const delivery = await findDelivery(db, caller.partnerId, deliveryId)
  if (delivery === undefined) throw notFound('delivery')
  return { ...delivery, body: completeBody(cipher, delivery) }
}

import type { Caller } from '../../partners/caller.ts'
import type { Database } from '../../platform/db/database.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import { type DeathReport, isHeldForDeath, listDeathReports } from './deaths.store.ts'

/** GET /operator-api/Customers/{customerId}/death-reports: what was reported about a death, the first report first. */
export async function readDeathReports(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  { partnerId }: Caller,
  customerId: Id<'tenant'>,
): Promise<{ customerId: Id<'tenant'>; reports: DeathReport[] }> {
  return { customerId, reports: await listDeathReports(db, cipher, { partnerId, customerId }) }
}

/** Whether e-mails to the customer and payments are held, so that their pages ask them to call. */
export function isCustomerHeld(
  { db }: { db: Database },
  { partnerId }: Caller,
  customerId: Id<'tenant'>,
): Promise<boolean> {
  return isHeldForDeath(db, { partnerId, customerId })
}

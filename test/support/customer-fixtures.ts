import { setTimeout as sleep } from 'node:timers/promises'
import type { Partner } from './client.ts'
import { paymentStatus } from './household.ts'
import { withDatabase } from './partners.ts'
import type { TestService } from './service.ts'

/** Waits, for a few seconds at most, until the payment status has been moved in the background. */
export async function paymentStatusBecomes(partner: Partner, customerId: string, wanted: string): Promise<void> {
  const deadline = performance.now() + 5_000
  for (;;) {
    const found = await paymentStatus(partner, customerId)
    if (found === wanted) return
    if (performance.now() > deadline) throw new Error(`paymentStatus stays ${found} and does not become ${wanted}`)
    await sleep(15)
  }
}

/** The rows a statement gives, as they lie in the service's database. */
export function rawRows(
  service: TestService,
  text: string,
  values: readonly unknown[] = [],
): Promise<Record<string, unknown>[]> {
  return withDatabase(service, async (db) => (await db.pool.query(text, [...values])).rows)
}

import { randomBytes } from 'node:crypto'
import type { Replacements } from '../../src/app/compose.ts'
import { hashClientSecret } from '../../src/partners/client-secret.ts'
import { insertCredential, insertPartner } from '../../src/partners/partners.store.ts'
import { scopes } from '../../src/partners/scopes.ts'
import { inTransaction } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { atTheEnd } from './at-the-end.ts'
import { cipherOf, withDatabase } from './partners.ts'
import { movableClock, type ServiceUnderTest, startTestService, type TestService } from './service.ts'

/** What a service for tests of webhooks may have instead of the usual. */
type Receivers = Pick<Replacements, 'resolver' | 'egress'>

const running: { key: string; receivers: Receivers | undefined; service: Promise<TestService> }[] = []

/**
 * Returns a service for tests that look only at the data of their own partner. All test files in this process share one
 * service for each environment, `startAt` and `receivers`, and `credentials` belong to a new partner for each file. Tests that count
 * rows, requests or statements, move the clock or stop something must start a separate service.
 */
export async function shareTestService(
  environment: Record<string, string> = {},
  { startAt, receivers }: { startAt?: string; receivers?: Receivers } = {},
): Promise<ServiceUnderTest> {
  const key = JSON.stringify([environment, startAt])
  const clock = startAt === undefined ? {} : { clock: movableClock(startAt) }
  if (running.length === 0) atTheEnd(stopAll)
  let shared = running.find((each) => each.key === key && each.receivers === receivers)
  if (shared === undefined) {
    shared = { key, receivers, service: startTestService(environment, { ...clock, ...receivers }) }
    running.push(shared)
  }
  const service = await shared.service
  return { ...service, credentials: await addPartner(service) }
}

async function addPartner(service: TestService): Promise<TestService['credentials']> {
  const partnerId = newId('partner')
  const credentials = {
    clientId: `sb_test_${randomBytes(6).toString('hex')}`,
    clientSecret: randomBytes(16).toString('hex'),
  }
  const now = new Date()
  const cipher = await cipherOf(service)
  await withDatabase(service, (db) =>
    inTransaction(db, {}, async (tx) => {
      await insertPartner(tx, { partnerId, name: partnerId, now })
      const secretHash = hashClientSecret(credentials.clientSecret)
      await insertCredential(tx, cipher, { clientId: credentials.clientId, partnerId, secretHash, scopes, now })
    }),
  )
  return credentials
}

async function stopAll(): Promise<void> {
  const services = await Promise.all(running.splice(0).map(({ service }) => service))
  await Promise.all(services.map((service) => service.stop()))
}

import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { ensureSandboxPartner } from '../../src/app/sandbox/sandbox-partner.ts'
import { createPartnerForClientId } from '../../src/partners/managing/create-partner.ts'
import { findCredential } from '../../src/partners/partners.store.ts'
import { systemClock } from '../../src/platform/kernel/clock.ts'
import { withDatabase } from '../support/partners.ts'
import { createTestDatabase } from '../support/postgres.ts'
import { startTestService } from '../support/service.ts'
import { assertTokenError, sendJson, tokenPaths } from './token-calls.ts'

const service = await startTestService()
after(() => service.stop())

test('a client whose secret is kept by an external provider gets no token from the embedded provider', async () => {
  await withDatabase(service, (db) =>
    createPartnerForClientId({ db, clock: systemClock }, { name: 'Outside', clientId: 'outside' }),
  )
  for (const path of tokenPaths) {
    for (const clientSecret of ['null', 'undefined', 'anything']) {
      const response = await sendJson(service, path, { clientId: 'outside', clientSecret })
      assertTokenError(response, 401, 'invalid_client')
    }
  }
})

test("the sandbox's client id keeps its partner when the provider changes, and has a secret only if we verify it", async () => {
  const database = await createTestDatabase()
  try {
    await withDatabase(database, async (db) => {
      const ensure = (clientId: string | undefined, clientSecret: string | undefined, secretsAreExternal: boolean) =>
        ensureSandboxPartner({ db, clock: systemClock }, { clientId, clientSecret, secretsAreExternal })
      assert.deepEqual(await ensure(undefined, undefined, true), { clientId: undefined, newClientSecret: undefined })
      for (let start = 0; start < 2; start += 1)
        assert.deepEqual(await ensure('acme', undefined, true), { clientId: 'acme', newClientSecret: undefined })
      const outside = await findCredential(db, 'acme')
      assert.equal(outside?.secretHash, null)

      const inside = await ensure('acme', undefined, false)
      assert.match(inside.newClientSecret ?? '', /^sk_/)
      const again = await ensure('acme', undefined, false)
      assert.equal(again.newClientSecret, undefined)
      const credential = await findCredential(db, 'acme')
      assert.match(credential?.secretHash ?? '', /^sha256\$/)
      assert.equal(credential?.partnerId, outside?.partnerId)
    })
  } finally {
    await database.drop()
  }
})

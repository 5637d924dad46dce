import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { after, beforeEach, describe, test } from 'node:test'
import { createLogger } from '../../src/app/logger.ts'
import { addressSupplierNames } from '../../src/platform/config/address-source.ts'
import { mpanWithCheckDigit } from '../../src/properties/meter-points/meter-points.ts'
import { assertSucceeded, housebill } from '../cli/cli-fixture.ts'
import { json, startScriptedServer } from '../platform/outbound/scripted-server.ts'
import { connectPartner } from '../support/client.ts'
import { holdTimeouts } from '../support/held-timeouts.ts'
import { assertProblem, succeeded } from '../support/responses.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { healthySuppliers, supplierWords } from './healthy-suppliers.ts'

const key = 'k_supplier_9Qx7Lm'
/** The time limits of an attempt and of a whole call. The test makes them expire. */
const heldLimits = {
  attemptMs: 8_907,
  deadlineMs: 9_007,
  retries: 1,
  failuresToOpen: 1_000,
}
const limits = holdTimeouts((ms) => ms === heldLimits.attemptMs || ms === heldLimits.deadlineMs)
const lines: string[] = []
const log = createLogger('trace', { write: (line) => void lines.push(line) })

for (const source of addressSupplierNames) {
  const answer = healthySuppliers[source](() => 2)
  describe(`ADDRESS_SOURCE=${source}`, async () => {
    const clock = movableClock('2026-12-01T09:00:00Z')
    const supplier = await startScriptedServer(answer)
    const environment = { ADDRESS_SOURCE: source, ADDRESS_SOURCE_KEY: key, ADDRESS_SOURCE_BASE: supplier.baseUrl }
    const service = await startTestService(environment, { clock, upstreamLimits: heldLimits, log })
    after(async () => {
      await service.stop()
      await supplier.close()
    })
    let partner = await connectPartner(service.baseUrl, service.credentials)
    const lookup = (postcode: string) => partner.get(`/Addresses/lookup?postcode=${encodeURIComponent(postcode)}`)
    const offered = async (addressUid: string) => {
      const { availablePackages } = succeeded(await partner.post('/Quotes', { addressUid }))
      return availablePackages.map(({ type }) => type)
    }
    beforeEach(() => supplier.respondWith(answer))

    test('a postcode is looked up once, and quotes can be created for its properties, with energy once their meters are known', async () => {
      const [property, ...others] = succeeded(await lookup('NR4 7TJ'))
      assert.ok(property)
      assert.equal(others.length, 1)
      assert.match(property.addressLine1, /^1 high street$/i)
      assert.deepEqual([property.mpan, property.mprn, property.country], [null, null, 'England'])
      succeeded(await lookup('nr47tj'))
      assert.equal(supplier.requests.length, 1)
      assert.deepEqual(await offered(property.addressUid), ['broadband'])

      const file = join(service.config.dataDir, 'meters.csv')
      await writeFile(file, `uprn,mpan,mprn\n${property.uprn},${mpanWithCheckDigit('101234567890')},\n`)
      assertSucceeded(await housebill(['meter-points', 'import', file], service.environment))
      assert.deepEqual(await offered(property.addressUid), ['electricity', 'broadband'])
    })

    test('while the supplier is down, a postcode looked up last month still returns its properties, and a new one returns 503', async () => {
      const before = succeeded(await lookup('NR4 7TQ'))
      clock.moveTo('2027-01-15T09:00:00Z')
      // The partner's token has expired, because a month has passed.
      partner = await connectPartner(service.baseUrl, service.credentials)
      for (const broken of [
        json('{}', 500),
        json(JSON.stringify({ fault: { faultstring: `Invalid ApiKey ${key}` } }), 401),
        json(JSON.stringify({ code: 4020, message: `No balance on ${key}` }), 402),
        (request: IncomingMessage) => void request.socket.destroy(),
        () => undefined,
      ]) {
        supplier.respondWith(broken)
        const known = limits.passUntil(heldLimits.deadlineMs, lookup('NR4 7TQ'))
        assert.deepEqual(succeeded(await known), before)
        const rejected = await limits.passUntil(heldLimits.deadlineMs, lookup('NR4 7TR'))
        assertProblem(rejected, 'service_unavailable')
        assert.match(rejected.headers.get('retry-after') ?? '', /^\d+$/)
        for (const hidden of [...supplierWords, 'balance', 'ApiKey'])
          assert.ok(!rejected.text.toLowerCase().includes(hidden.toLowerCase()), hidden)
      }
      assert.match(lines.join(''), /address supplier failed; serving an expired cached response/)
      supplier.respondWith(answer)
      assert.equal(succeeded(await lookup('NR4 7TR')).length, 2)
    })

    test('neither sample postcodes nor sample properties are offered', async () => {
      assert.deepEqual(succeeded(await partner.get('/Sandbox/postcodes')), { data: [] })
      supplier.respondWith(healthySuppliers[source](() => 0))
      assert.deepEqual(succeeded(await lookup('TE5 7AA')), [])
    })

    test('the API key appears in no log line', () => {
      assert.ok(lines.length > 0)
      assert.ok(!lines.some((line) => line.includes(key)))
    })
  })
}

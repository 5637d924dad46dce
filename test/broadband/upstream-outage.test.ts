import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { json } from '../adapters/scripted-server.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { connectNewPartner } from '../support/partners.ts'
import { startTestService, type TestService } from '../support/service.ts'
import {
  type BreakableUpstreams,
  checkUntilWell,
  halves,
  otherHalf,
  pause,
  quickLimits,
  runCheck,
  startBreakableUpstreams,
  unusedHome,
  well,
} from './breakable-upstreams.ts'

let upstreams: BreakableUpstreams
let service: TestService
let partner: Partner
let neighbour: Partner
before(async () => {
  upstreams = await startBreakableUpstreams()
  service = await startTestService(
    { HOME_TELECOM_URL: upstreams.homeTelecom.baseUrl, BROADBAND_DATABASE_URL: upstreams.broadbandDatabase.baseUrl },
    { upstreamLimits: { ...quickLimits, halfOpenAfterMs: 1_500 } },
  )
  partner = await connectPartner(service.baseUrl, service.credentials)
  neighbour = await connectNewPartner(service)
})
after(async () => {
  await service.stop()
  await Promise.all(halves.map((half) => upstreams[half].close()))
})

for (const half of halves) {
  const other = otherHalf(half)
  test(`${half} fails for several homes: it is left alone for a moment, then asked once, and all is well when it is`, async () => {
    upstreams[half].answerWith(json('{}', 503))
    for (let home = 0; home < 3; home += 1) await runCheck(partner, unusedHome())
    upstreams[half].requests.length = 0
    // Whoever asks now, about whichever home, is told at once; the other upstream is asked as ever.
    for (const by of [partner, neighbour]) {
      const result = await runCheck(by, unusedHome())
      assert.match(result[`${half}Errors`].join(), /has been failing and is being left alone for a moment/)
      assert.equal(result[`${other}Error`], false)
    }
    assert.equal(upstreams[half].requests.length, 0)

    await pause(1_600)
    const probe = await runCheck(partner, unusedHome())
    assert.match(probe[`${half}Errors`].join(), /answered with a fault/)
    assert.equal(upstreams[half].requests.length, 1)
    const held = await runCheck(partner, unusedHome())
    assert.match(held[`${half}Errors`].join(), /left alone/)

    upstreams[half].answerWith(well[half])
    await checkUntilWell(partner, unusedHome())
    for (const by of [neighbour, partner]) {
      const result = await runCheck(by, unusedHome())
      assert.deepEqual([result.homeTelecomError, result.broadbandDatabaseError], [false, false])
    }
  })
}

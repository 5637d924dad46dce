import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runAvailabilityCheck } from '../../src/broadband/availability/run-availability-check.ts'
import { createBroadbandDatabase } from '../../src/broadband/broadband-database.http.ts'
import { createUpstream, type Upstream } from '../../src/platform/outbound/upstream.ts'
import { type ScriptedServer, startScriptedServer } from '../platform/outbound/scripted-server.ts'
import { callerAt, noon, openBroadbandLab, ordinaryProperty } from './broadband-fixture.ts'

let broadband: Awaited<ReturnType<typeof openBroadbandLab>>
let silent: ScriptedServer
let upstream: Upstream
before(async () => {
  broadband = await openBroadbandLab()
  silent = await startScriptedServer(() => undefined)
  const longer = 120_000
  const limits = { attemptMs: longer, deadlineMs: longer }
  upstream = createUpstream({ name: 'broadband-database', baseUrl: silent.baseUrl, limits })
})
after(async () => {
  await silent.close()
  await upstream.close()
  await broadband.stop()
})

test('if one upstream does not respond, the check abandons it at the time limit and returns what the other one found', async () => {
  const deps = { ...broadband.deps, broadbandDatabase: createBroadbandDatabase(upstream), timeLimitMs: 5_000 }
  const { addressUid } = ordinaryProperty(0)
  const result = await runAvailabilityCheck(deps, callerAt(noon), { uid: addressUid })
  assert.deepEqual([result.available, result.homeTelecomError, result.broadbandDatabaseError], [true, false, true])
  assert.match(result.broadbandDatabaseErrors.join(), /did not respond in time/)

  const [providerCalls] = broadband.calls()
  const again = await runAvailabilityCheck(broadband.deps, callerAt(noon), { uid: addressUid })
  assert.deepEqual([again.homeTelecomError, again.broadbandDatabaseError], [false, false])
  assert.deepEqual(broadband.calls(), [providerCalls, 1])
})

test('a bug in this program during a check is not treated as an upstream failure', async () => {
  const deps = {
    ...broadband.deps,
    homeTelecom: { ...broadband.deps.homeTelecom, listProducts: () => Promise.reject(new TypeError('a bug')) },
  }
  const { addressUid } = ordinaryProperty(1)
  await assert.rejects(runAvailabilityCheck(deps, callerAt(noon), { uid: addressUid }), /a bug/)
})

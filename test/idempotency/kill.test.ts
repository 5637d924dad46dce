import assert from 'node:assert/strict'
import { test } from 'node:test'
import { killInEveryPost } from './kill-walk.ts'

test('a POST, when the process is killed while twenty of it with one key are under way, has one effect after a restart and a retry', async () => {
  const chosen = new Map([
    ['createSetupIntent', 25],
    ['acceptTerms', 40],
    ['sandboxAuthenticateSetupIntent', 30],
  ])
  const report = await killInEveryPost({
    isKilled: (operationId) => chosen.has(operationId),
    killAfterMs: (operationId) => chosen.get(operationId) ?? 0,
    atOnce: 20,
  })
  assert.equal(report.kills, chosen.size)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isFullSize } from '../support/campaign-size.ts'
import { killDuringEveryPost } from './kill-walk.ts'

test('a POST has one effect after a restart and a retry, even if the process is killed while many requests with the same key are running', async (t) => {
  const chosen = new Map([
    ['createSetupIntent', 25],
    ['acceptTerms', 40],
    ['sandboxAuthenticateSetupIntent', 30],
  ])
  const report = await killDuringEveryPost({
    isKilled: (operationId) => isFullSize || chosen.has(operationId),
    killAfterMs: (operationId) => (isFullSize ? Math.random() * 300 : (chosen.get(operationId) ?? 0)),
    atOnce: isFullSize ? 30 : 20,
  })
  t.diagnostic(`${report.kills} operations killed, ${report.acknowledged} of them with a response before the kill`)
  assert.ok(report.kills >= chosen.size)
})

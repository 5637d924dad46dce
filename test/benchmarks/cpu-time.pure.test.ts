import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { startTreeTimer } from '../../bench/cpu-time.ts'

const usesQuarterSecond = 'const used = () => process.cpuUsage(); while (used().user + used().system < 250_000);'

test('the processor time of a process includes that of children which have ended', () => {
  const used = startTreeTimer(process.pid)
  const before = process.cpuUsage()
  spawnSync(process.execPath, ['-e', usesQuarterSecond])
  const { user, system } = process.cpuUsage(before)
  const ofChild = used() - (user + system) / 1_000
  if (process.platform !== 'linux') assert.ok(Number.isNaN(ofChild))
  else assert.ok(ofChild > 200, `${ofChild} ms`)
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runProgram } from './cli-fixture.ts'

const limitHeapGrowth = new URL('../../src/cli/serve/heap-growth.ts', import.meta.url).href

test('this version of Node knows the setting that limits the growth of the heap', async () => {
  for (const [program, isKnown] of [
    [`import { limitHeapGrowth } from '${limitHeapGrowth}'; limitHeapGrowth()`, true],
    // V8 does not throw, it only prints.
    [`import { setFlagsFromString } from 'node:v8'; setFlagsFromString('--heap-growing-percentage=50')`, false],
  ] as const) {
    const { code, stderr } = await runProgram(process.execPath, ['--input-type=module', '--eval', program], {})
    assert.deepEqual([code, stderr === ''], [0, isKnown], stderr)
  }
})

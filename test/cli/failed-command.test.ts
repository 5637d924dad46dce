import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const reportFailure = fileURLToPath(new URL('../../src/cli/report-failure.ts', import.meta.url))

test('a command that failed ends, even if something it opened stays open', async () => {
  const program = `
    import { createServer } from 'node:net'
    import { reportFailure } from ${JSON.stringify(reportFailure)}
    createServer().listen(0, '127.0.0.1')
    await reportFailure(new Error('cannot start'), false)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], { stdio: 'ignore' })
  assert.deepEqual(await once(child, 'exit'), [1, null])
})

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { bin } from './cli-fixture.ts'

test('a command that failed ends, even if something it opened stays open', async () => {
  const opening = `import { createServer } from 'node:net'; createServer().listen(0, '127.0.0.1')`
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(opening)}`,
    bin,
    'rates',
    'check',
    'no such file',
  ]
  const child = spawn(process.execPath, args, { stdio: 'ignore' })
  assert.deepEqual(await once(child, 'exit'), [1, null])
})

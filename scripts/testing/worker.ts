// One of the runner's processes. It receives files one by one, so that it loads modules only once for all of them. Each
// file becomes a test with the file's tests as subtests.
import assert from 'node:assert/strict'
import { on } from 'node:events'
import { mock, type TestContext, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sendToRunner } from './outcome.ts'

const { now } = Date

/**
 * Ends what a file has mocked, so that it does not affect the next one. Fails the file if its clock cannot be restored.
 */
function resetMocks(): void {
  mock.reset()
  mock.timers.reset()
  const isRestored = Date.now === now
  Date.now = now
  assert.ok(
    isRestored,
    'Date.now is still mocked. Mock it once per test: a second mock restores the first one, for good.',
  )
}

async function runFile(t: TestContext, file: string): Promise<void> {
  t.after(resetMocks)
  await import(pathToFileURL(file).href)
}

const files = on(process, 'message', { close: ['disconnect'] }) as AsyncIterable<[file: string]>
sendToRunner('ready')
for await (const [file] of files) {
  await test(file, (t) => runFile(t, file))
  sendToRunner('ready')
}

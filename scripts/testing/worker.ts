// One of the runner's processes. It receives files one by one, so that it loads modules only once for all of them. Each file becomes a
// test with the file's tests as subtests.
import { on } from 'node:events'
import { mock, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sendToRunner } from './outcome.ts'

const files = on(process, 'message', { close: ['disconnect'] }) as AsyncIterable<[file: string]>
sendToRunner('ready')
for await (const [file] of files) {
  await test(file, () => import(pathToFileURL(file).href).then(() => undefined))
  // Mocks of one file must not affect the next one.
  mock.reset()
  mock.timers.reset()
  sendToRunner('ready')
}

// One of the runner's processes. It is told the files one after another, so that modules are loaded once for all of them, and each file
// is a test whose subtests are the file's own.
import { on } from 'node:events'
import { mock, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sendToRunner } from './outcome.ts'

const files = on(process, 'message', { close: ['disconnect'] }) as AsyncIterable<[file: string]>
sendToRunner('ready')
for await (const [file] of files) {
  await test(file, () => import(pathToFileURL(file).href).then(() => undefined))
  // What a file put in the place of clocks and functions is not there for the next.
  mock.reset()
  mock.timers.reset()
  sendToRunner('ready')
}

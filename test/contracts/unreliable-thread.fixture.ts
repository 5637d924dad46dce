import { existsSync, writeFileSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'
import type { RenderingJob } from '../../src/contracts/renderer/threads/rendering-thread.ts'

/*
 * A rendering thread that does what the document's title says. Its files contain the document's reference. `crash once`
 * uses the reference as the path of a file that remembers the crash.
 */

parentPort?.on('message', ({ document: { title, reference } }: RenderingJob) => {
  if (title === 'hang') return
  if (title === 'crash' || (title === 'crash once' && !existsSync(reference))) {
    if (title === 'crash once') writeFileSync(reference, '')
    process.exit(1)
  }
  const bytes = () => new Uint8Array(Buffer.from(reference))
  parentPort?.postMessage(title === 'throw' ? { error: new TypeError('no such font') } : { files: [bytes(), bytes()] })
  if (title === 'end afterwards') process.exit(0)
})

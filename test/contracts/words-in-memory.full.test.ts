import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import { buildContractDocument } from '../../src/contracts/build-document.ts'
import { documentFormats } from '../../src/contracts/document-renderer.ts'
import type { RenderingJob } from '../../src/contracts/renderer/threads/rendering-thread.ts'
import { contractFacts } from './contract-facts.fixture.ts'

/** Spelled backwards, so that this file's own source does not put the words into memory. */
const backwards = ['hcivoksirbaZ', 'suiniriuQ', 'elpmaxe.yerhpmog']
const forwards = (text: string) => [...text].reverse().join('')

function jobWithWords(): RenderingJob {
  const [family = '', given = '', host = ''] = backwards.map(forwards)
  const facts = contractFacts({ name: `${given} ${family}`, email: `${given}.${family}@${host}` })
  const identity = { contractId: 'tenant_one', acceptedAt: facts.acceptedAt }
  return { document: buildContractDocument(facts), identity, formats: documentFormats }
}

/** Which of the words are still in the thread's heap after a garbage collection. */
async function wordsInMemory(thread: Worker): Promise<string[]> {
  // Objects that just became unreachable are released in a later turn of the event loop.
  await sleep(50)
  const found = new Set<string>()
  let end = ''
  for await (const chunk of await thread.getHeapSnapshot()) {
    const text = end + String(chunk)
    for (const word of backwards) if (text.includes(forwards(word))) found.add(word)
    end = text.slice(-40)
  }
  return [...found]
}

test('the words of a name and an address are nowhere in the memory of a rendering thread once it has sent the document', async (t) => {
  const thread = new Worker(new URL('../../src/contracts/renderer/threads/run-jobs.ts', import.meta.url))
  t.after(() => thread.terminate())
  thread.postMessage(jobWithWords())
  const [{ files }] = await once(thread, 'message')
  const [, pdf] = files
  assert.ok(pdf.length > 10_000)
  let left = await wordsInMemory(thread)
  for (let turns = 0; turns < 3 && left.length > 0; turns += 1) {
    left = await wordsInMemory(thread)
  }
  assert.deepEqual(left, [])
})

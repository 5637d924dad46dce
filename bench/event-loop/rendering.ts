import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { createContractRenderer } from '../../src/adapters/document-renderer/contract-renderer.ts'
import { createThreadedRenderer } from '../../src/adapters/document-renderer/threads/threaded-renderer.ts'
import { buildContractDocument } from '../../src/domain/contracts/build-document.ts'
import { documentFormats } from '../../src/domain/contracts/document-format.ts'
import { contractFacts } from '../../test/contracts/contract-facts.fixture.ts'
import '../../test/support/loopback-only.ts'

/*
 * `node bench/event-loop/rendering.ts`: for how long six documents rendered at once, and the other long calculations of a request, keep the thread
 * of the HTTP server from other requests. Takes a few seconds.
 */

const facts = contractFacts()
const document = buildContractDocument(facts)
const identity = { contractId: 'contract', acceptedAt: facts.acceptedAt }

const inThisThread = createContractRenderer()
const inThreads = createThreadedRenderer({ onThreadEnded: console.error })
await measure('six documents in this thread', () =>
  sixTimes(() => inThisThread.render(document, identity, documentFormats)),
)
await measure('six documents in rendering threads', () =>
  sixTimes(() => inThreads.render(document, identity, { caller: 'bench', formats: documentFormats })),
)
await inThreads.close()

function sixTimes(render: () => Promise<unknown>): Promise<unknown> {
  return Promise.all(Array.from({ length: 6 }, render))
}

/** Prints the time that the work takes and the longest delay of the event loop, after one run to warm up. */
async function measure(name: string, work: () => Promise<unknown>): Promise<void> {
  await work()
  await sleep(100)
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  await sleep(20)
  const startedAt = performance.now()
  await work()
  const took = performance.now() - startedAt
  await sleep(20)
  delay.disable()
  console.log(`${name}: ${took.toFixed(0)} ms, longest delay of the event loop ${(delay.max / 1e6).toFixed(1)} ms`)
}

import { DomainError } from '../../../platform/kernel/errors.ts'
import { createFairQueue, type FairQueueLimits } from '../../../platform/kernel/fair-queue.ts'
import type { ContractDocument } from '../../document.ts'
import type { DocumentFormat, DocumentIdentity, DocumentRenderer, RenderedContract } from '../../document-renderer.ts'
import type { RenderingJob } from './rendering-thread.ts'
import { RenderingThread, RenderingThreadEnded, RenderingTimeout } from './rendering-thread.ts'

interface ThreadedRendererOptions {
  /** Called when a thread ended unexpectedly. The error has no personal data. */
  onThreadEnded: (error: Error) => void
  /** How many threads render at the same time, and how many documents may wait. */
  limits?: FairQueueLimits
  /** How long a thread may take for one document. */
  timeLimitMs?: number
  /** What the threads run. */
  program?: URL
}

/**
 * A document takes less than 0.1 s, also on a busy machine. With these limits nobody waits much longer than a second,
 * and the documents of one partner leave half of the database's connections to others: a contract is rendered while its
 * quote is locked.
 */
const usualLimits: FairQueueLimits = {
  concurrency: 2,
  maxWaitingPerCaller: 8,
  maxWaiting: 24,
}
const tooManyDocuments = () =>
  new DomainError(
    'service_unavailable',
    'Too many documents are being created. Retry shortly, with fewer requests at a time.',
    { retryAfterSeconds: 2 },
  )
/** Nothing was stored, and a later attempt may find a less busy machine. */
const tooSlow = (cause: Error) =>
  new DomainError('service_unavailable', 'The documents could not be created in time. Retry shortly.', {
    retryAfterSeconds: 5,
    cause,
  })

/**
 * Less than half of the time that the database allows a transaction to be idle, because a document may be tried twice.
 */
const usualTimeLimitMs = 10_000

/**
 * Renders in a few threads, so that a document never delays other requests. Callers take turns. A thread starts when a
 * document first needs it and stays for the next one. If a thread ends, its document is tried once more in another;
 * then `render` throws:
 * `service_unavailable` if that takes too long as well.
 */
export function createThreadedRenderer({
  onThreadEnded,
  limits = usualLimits,
  timeLimitMs = usualTimeLimitMs,
  program = new URL('./run-jobs.ts', import.meta.url),
}: ThreadedRendererOptions): DocumentRenderer & { close(): Promise<void> } {
  const queue = createFairQueue(limits, tooManyDocuments)
  const idle: RenderingThread[] = []
  const busy = new Set<RenderingThread>()
  let isClosed = false

  function takeIdle(): RenderingThread | undefined {
    const thread = idle.pop()
    return thread?.hasEnded ? takeIdle() : thread
  }

  async function renderOnce(job: RenderingJob): Promise<Buffer[]> {
    const thread = takeIdle() ?? new RenderingThread(program, timeLimitMs)
    busy.add(thread)
    try {
      const rendered = await thread.render(job)
      idle.push(thread)
      return rendered
    } catch (error) {
      if (error instanceof RenderingThreadEnded) await thread.stop()
      else idle.push(thread)
      throw error
    } finally {
      busy.delete(thread)
    }
  }

  async function renderTwice(job: RenderingJob): Promise<Buffer[]> {
    try {
      return await renderOnce(job)
    } catch (error) {
      if (isClosed || !(error instanceof RenderingThreadEnded)) throw error
      onThreadEnded(error)
      return renderOnce(job).catch((again: unknown) => {
        throw again instanceof RenderingTimeout ? tooSlow(again) : again
      })
    }
  }

  return {
    async render<Format extends DocumentFormat>(
      document: ContractDocument,
      identity: DocumentIdentity,
      { caller, formats }: { caller: string; formats: readonly Format[] },
    ) {
      const files = await queue.run(caller, () => renderTwice({ document, identity, formats }))
      return Object.fromEntries(formats.map((format, index) => [format, files[index]])) as RenderedContract<Format>
    },
    async close() {
      isClosed = true
      await Promise.all([...idle.splice(0), ...busy].map((thread) => thread.stop()))
    },
  }
}

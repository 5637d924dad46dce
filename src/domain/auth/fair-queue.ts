import { DomainError } from '../../kernel/errors.ts'

/** Limits how much work runs concurrently. Callers take turns. */
export interface FairQueue {
  /** Runs `work` when its turn comes. Throws `service_unavailable` immediately if the queue is full. */
  run<Result>(caller: string, work: () => Promise<Result>): Promise<Result>
}

export interface FairQueueLimits {
  concurrency: number
  /** The maximum number of waiting tasks of one caller. */
  maxWaitingPerCaller: number
  /** The maximum number of waiting tasks across all callers. */
  maxWaiting: number
  /** What to tell a caller when the queue is full. */
  whenFull: string
}

/**
 * A queue for CPU-heavy work. A caller with many requests delays only their own requests, because other callers are served in
 * between.
 */
export function createFairQueue({
  concurrency,
  maxWaitingPerCaller,
  maxWaiting,
  whenFull,
}: FairQueueLimits): FairQueue {
  /** The waiting tasks of each caller. The caller whose turn is next comes first. */
  const queues = new Map<string, (() => void)[]>()
  let running = 0
  let queued = 0

  function startNext(): void {
    const next = queues.entries().next()
    if (next.done) return
    const [caller, queue] = next.value
    const start = queue.shift()
    queues.delete(caller)
    if (queue.length > 0) queues.set(caller, queue)
    queued -= 1
    start?.()
  }

  async function turn(caller: string): Promise<void> {
    if (running < concurrency) {
      running += 1
      return
    }
    const queue = queues.get(caller) ?? []
    if (queued >= maxWaiting || queue.length >= maxWaitingPerCaller)
      throw new DomainError('service_unavailable', whenFull, { retryAfterSeconds: 2 })
    queued += 1
    queues.set(caller, queue)
    await new Promise<void>((resolve) => queue.push(resolve))
  }

  return {
    async run(caller, work) {
      await turn(caller)
      try {
        return await work()
      } finally {
        // Hand this slot to the next waiting task, or free it if none waits.
        if (queued > 0) startNext()
        else running -= 1
      }
    },
  }
}

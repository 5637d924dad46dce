import { DomainError } from '../../kernel/errors.ts'

/** Limits how much work runs concurrently. Callers take turns. */
export interface FairQueue {
  /**
   * Runs `work` when its turn comes: after all waiting work of trusted callers unless `isTrusted`. Throws `service_unavailable`
   * immediately if the queue is full; trusted callers have a queue of their own.
   */
  run<Result>(caller: string, work: () => Promise<Result>, isTrusted?: boolean): Promise<Result>
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
export function createFairQueue({ concurrency, whenFull, ...limits }: FairQueueLimits): FairQueue {
  const trusted = new WaitingCallers(limits)
  const others = new WaitingCallers(limits)
  let running = 0

  async function turn(waiting: WaitingCallers, caller: string): Promise<void> {
    if (running < concurrency) {
      running += 1
      return
    }
    if (waiting.isFullFor(caller)) throw new DomainError('service_unavailable', whenFull, { retryAfterSeconds: 2 })
    await new Promise<void>((start) => waiting.add(caller, start))
  }

  return {
    async run(caller, work, isTrusted = false) {
      await turn(isTrusted ? trusted : others, caller)
      try {
        return await work()
      } finally {
        // Hand this slot to the next waiting task, or free it if none waits.
        const next = trusted.takeNext() ?? others.takeNext()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}

class WaitingCallers {
  /** The waiting tasks of each caller. The caller whose turn is next comes first. */
  readonly #queues = new Map<string, (() => void)[]>()
  readonly #limits: Pick<FairQueueLimits, 'maxWaitingPerCaller' | 'maxWaiting'>
  #queued = 0

  constructor(limits: Pick<FairQueueLimits, 'maxWaitingPerCaller' | 'maxWaiting'>) {
    this.#limits = limits
  }

  isFullFor(caller: string): boolean {
    const { maxWaiting, maxWaitingPerCaller } = this.#limits
    return this.#queued >= maxWaiting || (this.#queues.get(caller)?.length ?? 0) >= maxWaitingPerCaller
  }

  add(caller: string, start: () => void): void {
    const queue = this.#queues.get(caller) ?? []
    queue.push(start)
    this.#queues.set(caller, queue)
    this.#queued += 1
  }

  takeNext(): (() => void) | undefined {
    const next = this.#queues.entries().next()
    if (next.done) return undefined
    const [caller, queue] = next.value
    const start = queue.shift()
    this.#queues.delete(caller)
    if (queue.length > 0) this.#queues.set(caller, queue)
    this.#queued -= 1
    return start
  }
}

import { DomainError } from '../../kernel/errors.ts'

/** Lets a few pieces of work run at once and gives the next turn to whoever waits, one caller after the other. */
export interface FairTurns {
  /** Runs `work` when its turn comes. Throws `service_unavailable` at once where too many are waiting already. */
  take<Result>(caller: string, work: () => Promise<Result>): Promise<Result>
}

export interface TurnLimits {
  atOnce: number
  /** A caller with more than this waiting is turned away. */
  waitingPerCaller: number
  /** Beyond this everybody is. */
  waiting: number
}

/**
 * For work that costs a core: a caller who asks for a lot waits behind their own requests, and everybody else is served in
 * between.
 */
export function createFairTurns({ atOnce, waitingPerCaller, waiting }: TurnLimits): FairTurns {
  /** Who waits, in the order of their next turns. */
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
    if (running < atOnce) {
      running += 1
      return
    }
    const queue = queues.get(caller) ?? []
    if (queued >= waiting || queue.length >= waitingPerCaller)
      throw new DomainError(
        'service_unavailable',
        'Too many secrets are being checked. Retry shortly, with fewer requests at a time.',
        {
          retryAfterSeconds: 2,
        },
      )
    queued += 1
    queues.set(caller, queue)
    await new Promise<void>((resolve) => queue.push(resolve))
  }

  return {
    async take(caller, work) {
      await turn(caller)
      try {
        return await work()
      } finally {
        // A turn is handed on, or given up where nobody waits.
        if (queued > 0) startNext()
        else running -= 1
      }
    },
  }
}

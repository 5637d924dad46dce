/** Limits how much work runs concurrently. Callers take turns. */
export interface FairQueue {
  /**
   * Runs `work` when its turn comes. Throws the error of `whenFull` if the queue is full: at once or, if another caller
   * with fewer waiting tasks then needs the place, later.
   */
  run<Result>(caller: string, work: () => Promise<Result>, turn?: TurnOptions): Promise<Result>
  /** Whether work would have to wait now. */
  isBusy(): boolean
}

interface TurnOptions {
  /**
   * When it aborts, waiting work leaves the queue and its call rejects with the signal's reason. Work that runs is not
   * affected.
   */
  signal?: AbortSignal
}

export interface FairQueueLimits {
  concurrency: number
  /** The maximum number of waiting tasks of one caller. */
  maxWaitingPerCaller: number
  /** The maximum number of waiting tasks across all callers. */
  maxWaiting: number
}

/**
 * A queue for work of which only so much should run at once. A caller with many requests delays only their own
 * requests, because other callers are served in between.
 */
export function createFairQueue(limits: FairQueueLimits, whenFull: () => Error): FairQueue {
  const waiting = new WaitingCallers()
  let running = 0
  const isBusy = () => running >= limits.concurrency

  async function takeTurn(caller: string, { signal }: TurnOptions): Promise<void> {
    signal?.throwIfAborted()
    if (!isBusy()) {
      running += 1
      return
    }
    if (waiting.countOf(caller) >= limits.maxWaitingPerCaller) throw whenFull()
    if (waiting.count >= limits.maxWaiting && !waiting.makeRoomFor(caller)) throw whenFull()
    await new Promise<void>((resolve, reject) => {
      const task: WaitingTask = {
        start() {
          signal?.removeEventListener('abort', leave)
          resolve()
        },
        giveWay() {
          signal?.removeEventListener('abort', leave)
          reject(whenFull())
        },
      }
      const leave = () => {
        waiting.remove(caller, task)
        reject(signal?.reason)
      }
      waiting.add(caller, task)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  return {
    isBusy,
    async run(caller, work, turn = {}) {
      await takeTurn(caller, turn)
      try {
        return await work()
      } finally {
        // Hand this slot to the next waiting task, or free it if none waits.
        const next = waiting.takeNext()
        if (next === undefined) running -= 1
        else next.start()
      }
    },
  }
}

interface WaitingTask {
  start(): void
  /** Ends the task's wait with the error of a full queue. */
  giveWay(): void
}

class WaitingCallers {
  /** The waiting tasks of each caller, at least one. The caller whose turn is next comes first. */
  readonly #queues = new Map<string, WaitingTask[]>()
  count = 0

  countOf(caller: string): number {
    return this.#queues.get(caller)?.length ?? 0
  }

  add(caller: string, task: WaitingTask): void {
    const queue = this.#queues.get(caller) ?? []
    queue.push(task)
    this.#queues.set(caller, queue)
    this.count += 1
  }

  remove(caller: string, task: WaitingTask): void {
    const queue = this.#queues.get(caller) ?? []
    queue.splice(queue.indexOf(task), 1)
    if (queue.length === 0) this.#queues.delete(caller)
    this.count -= 1
  }

  /**
   * Drops the newest task of the caller with the most, if that caller still has at least as many as this one
   * afterwards.
   */
  makeRoomFor(caller: string): boolean {
    let [largest, queue]: [string, WaitingTask[]] = ['', []]
    for (const each of this.#queues) if (each[1].length > queue.length) [largest, queue] = each
    const newest = queue.at(-1)
    if (newest === undefined || queue.length < this.countOf(caller) + 2) return false
    this.remove(largest, newest)
    newest.giveWay()
    return true
  }

  takeNext(): WaitingTask | undefined {
    const next = this.#queues.entries().next()
    if (next.done) return undefined
    const [caller, queue] = next.value
    const task = queue.shift()
    this.#queues.delete(caller)
    if (queue.length > 0) this.#queues.set(caller, queue)
    this.count -= 1
    return task
  }
}

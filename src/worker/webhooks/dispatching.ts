import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { dispatchEvents, fewEvents } from '../../domain/webhooks/delivery/dispatch-events.ts'
import type { Delivering } from './delivering.ts'
import { type RunResult, startLoop } from './loop.ts'

interface DispatchingOptions {
  db: Database
  log: Logger
  delivering: Delivering
  /** Events dispatched in one transaction. */
  dispatchBatch: number
  longestPauseMs: number
}

export interface Dispatching {
  /** There are new events. */
  wake(): void
  /** There is room again for what was held up. */
  hasRoom(): void
  stop(): Promise<void>
}

/** Events wait in the outbox for a receiver with its hands full only while so many get out of it in this time; otherwise so many are queued. */
const pace = { events: 100, withinMs: 50 }

/**
 * The dispatch step. What this worker has room for it takes up in the same transaction; where its lanes are full for the moment,
 * dispatching waits for them rather than running ahead.
 */
export function startDispatching(options: DispatchingOptions): Dispatching {
  const { db, log, delivering, dispatchBatch, longestPauseMs } = options
  /** The last time more were waiting than it dispatched. */
  let hadMore = false
  let heldUp: { since: number; events: number } | undefined

  async function dispatch(): Promise<RunResult> {
    const isPatient = heldUp === undefined || performance.now() - heldUp.since < pace.withinMs
    const { events, queuedFor, hasMore, isHeldUp } = await delivering.takeUp((own) => {
      // Listing is most of the work for what is then left where it is.
      const useful = isPatient && hadMore ? 2 * (own.room.slots + own.room.readySlots) : 0
      const limit = Math.min(dispatchBatch, Math.max(fewEvents, useful))
      return dispatchEvents({ db }, limit, { ...own, isPatient })
    })
    if (!isPatient) heldUp = { since: performance.now(), events: 0 }
    else if (!isHeldUp) heldUp = undefined
    else if (heldUp === undefined || heldUp.events + events >= pace.events)
      heldUp = { since: performance.now(), events: 0 }
    else heldUp.events += events
    hadMore = hasMore || isHeldUp
    delivering.dueFor(queuedFor)
    return hasMore ? 'more' : 'idle'
  }

  const loop = startLoop({
    run: dispatch,
    onError: (error) => {
      log.warn({ err: error }, 'events could not be dispatched; retrying')
      // Whatever took too long, it is gone about as with many.
      hadMore = true
    },
    longestPauseMs,
    restMs: () => 5,
  })
  return {
    wake: () => loop.wake(),
    hasRoom() {
      if (heldUp !== undefined) loop.wake()
    },
    stop: () => loop.stop(),
  }
}

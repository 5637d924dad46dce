import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import { startLoop } from '../../platform/jobs/loop.ts'
import { readBacklog, type WebhookBacklog } from './backlog.store.ts'

interface BacklogMeter {
  /** The most recent measurement; undefined if there has been none yet or the last attempt to measure failed. */
  readonly backlog: WebhookBacklog | undefined
  stop(): Promise<void>
}

interface MeasuringOptions {
  db: Database
  log: Logger
  requireVerification: boolean
  everyMs: number
}

/** Reads the backlog at regular intervals. */
export function startBacklogMeter({ db, log, requireVerification, everyMs }: MeasuringOptions): BacklogMeter {
  let backlog: WebhookBacklog | undefined
  const loop = startLoop({
    steps: {
      async backlog() {
        backlog = await readBacklog(db, { requireVerification })
        return []
      },
    },
    onError: (_, error) => {
      backlog = undefined
      log.warn({ err: error }, 'webhook backlog query failed; retrying')
    },
    shortestPauseMs: everyMs,
    longestPauseMs: () => everyMs,
    errorPauseMs: everyMs,
  })
  return {
    get backlog() {
      return backlog
    },
    stop: () => loop.stop(),
  }
}

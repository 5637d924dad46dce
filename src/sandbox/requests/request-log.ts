import type { Database } from '../../platform/db/database.ts'
import { insertRequests, type OwnedRequest } from './requests.store.ts'

/** How many requests wait in memory at most, so that a database that is down costs requests and not memory. */
const maxWaiting = 10_000
/** How many requests one statement writes at most. */
const maxTogether = 1_000
const writeEveryMs = 500

/** Keeps a sandbox's requests for their partners. */
export interface RequestLog {
  /** Notes a request. It is written within a second and lost if the process or the database fails first. */
  add(request: OwnedRequest): void
  /** Writes what is waiting and stops. */
  stop(): Promise<void>
}

/** Writes requests in batches, beside the requests themselves. `onFailure` is told when a batch was lost. */
export function startRequestLog(db: Database, onFailure: (error: unknown, lost: number) => void): RequestLog {
  const waiting: OwnedRequest[] = []
  let writing = Promise.resolve()

  const writeAll = async () => {
    // What is added meanwhile waits for the next time. Otherwise a busy service would write a few at a time without
    // end.
    const due = waiting.splice(0)
    while (due.length > 0) {
      const batch = due.splice(0, maxTogether)
      await insertRequests(db, batch).catch((error: unknown) => onFailure(error, batch.length))
    }
  }
  const write = () => {
    writing = writing.then(writeAll)
    return writing
  }
  // Started here, and not by a request, so that the work belongs to no request.
  const timer = setInterval(write, writeEveryMs)
  timer.unref()

  return {
    add(request) {
      if (waiting.length < maxWaiting) waiting.push(request)
    },
    async stop() {
      clearInterval(timer)
      await write()
    },
  }
}

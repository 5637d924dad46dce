import type { Logger } from 'pino'
import type { Database } from '../../platform/db/database.ts'
import { type RequestLog, startRequestLog } from '../../sandbox/requests/request-log.ts'

/** The list of a sandbox's requests. A batch that cannot be written is lost, which the log says. */
export function openRequestLog(db: Database, log: Logger): RequestLog {
  return startRequestLog(db, (error, lost) =>
    log.warn({ err: error, lost }, 'requests are missing from the list of requests'),
  )
}

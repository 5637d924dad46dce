import type { Logger } from 'pino'
import type { Database } from '../../db/database.ts'
import { deleteExpiredConsoleSessions } from '../../domain/auth/console/console-sessions.store.ts'
import { deleteExpiredRevocations } from '../../domain/auth/revocation/revoked-tokens.store.ts'
import { deleteExpiredBroadbandData } from '../../domain/broadband/broadband.store.ts'
import { deleteExpiredIdempotencyKeys } from '../../domain/idempotency/idempotency.store.ts'
import { deleteOldMails } from '../../domain/mails/partner-mails.store.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { ScheduledJob } from './scheduler.ts'

/** How many stored responses are removed in one transaction. Every POST with a key leaves one. */
const batch = 5_000

/**
 * Every hour, removes expired rows that no request can see: stored responses to requests with an idempotency key after seven days,
 * broadband data after one day, records of e-mails after 30 days, the console's sessions, and revocations
 * once their token has expired.
 */
export function expiredRowsJob({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): ScheduledJob {
  return {
    name: 'housekeeping',
    everyMinutes: 60,
    atMinute: 7,
    async run(signal) {
      const inBatches = async (remove: () => Promise<number>) => {
        let removed = 0
        for (let found = batch; found >= batch && !signal.aborted; removed += found) found = await remove()
        return removed
      }
      const answers = await inBatches(() => deleteExpiredIdempotencyKeys(db, clock.now(), batch))
      const broadband = await deleteExpiredBroadbandData(db, clock.now())
      const consoleSessions = await deleteExpiredConsoleSessions(db, clock.now())
      const revocations = await deleteExpiredRevocations(db, clock.now())
      const mails = await deleteOldMails(db, clock.now())
      if (answers + broadband + consoleSessions + revocations + mails > 0)
        log.info({ answers, broadband, consoleSessions, revocations, mails }, 'expired rows removed')
    },
  }
}

import type { Logger } from 'pino'
import { deleteExpiredBroadbandData } from '../broadband/broadband.store.ts'
import { deleteOldCausedMails } from '../contracts/mails/caused-mails.store.ts'
import { deleteOldImports } from '../onboarding/imports/imports.store.ts'
import { deleteExpiredRevocations } from '../partners/revocation/revoked-tokens.store.ts'
import { deleteExpiredProgramSessions } from '../partners/sessions/program-sessions.store.ts'
import { deleteExpiredPersonSessions, deleteExpiredSignIns } from '../people/person-sessions.store.ts'
import type { Database } from '../platform/db/database.ts'
import { deleteExpiredIdempotencyKeys } from '../platform/idempotency/idempotency.store.ts'
import { inBatches } from '../platform/jobs/in-batches.ts'
import type { ScheduledJob } from '../platform/jobs/scheduler.ts'
import type { Clock } from '../platform/kernel/clock.ts'
import { deleteExpiredChecks } from '../quoting/broadband/broadband-checks.store.ts'
import { deleteExpiredSessions } from '../tenant-pages/session/tenant-sessions.store.ts'
import { deleteOldMails } from '../webhooks/partner-mails/partner-mails.store.ts'

/** How many rows of a table are removed in one transaction. */
const batch = 1_000

/**
 * Every hour, removes expired rows that no request can see: stored responses to requests with an idempotency key after
 * seven days, broadband data after one day, records of e-mails after 30 days and of what tenants caused after two, the
 * sessions of programs, of tenants and of people, begun sign-ins, imports 30 days after their last
 * change, and revocations once their token has expired.
 */
export function expiredRowsJob({ db, clock, log }: { db: Database; clock: Clock; log: Logger }): ScheduledJob {
  return {
    name: 'housekeeping',
    everyMinutes: 60,
    atMinute: 7,
    async run(signal) {
      const inAll = (remove: (db: Database, now: Date, limit: number) => Promise<number>) =>
        inBatches({ batch, signal }, (limit) => remove(db, clock.now(), limit))
      const responses = await inAll(deleteExpiredIdempotencyKeys)
      const broadband = (await deleteExpiredBroadbandData(db, clock.now())) + (await inAll(deleteExpiredChecks))
      const programSessions = await deleteExpiredProgramSessions(db, clock.now())
      const tenantSessions = await inAll(deleteExpiredSessions)
      const personSessions =
        (await deleteExpiredPersonSessions(db, clock.now())) + (await deleteExpiredSignIns(db, clock.now()))
      const revocations = await inAll(deleteExpiredRevocations)
      const imports = await inAll(deleteOldImports)
      const mails = (await deleteOldMails(db, clock.now())) + (await inAll(deleteOldCausedMails))
      if (responses + broadband + programSessions + tenantSessions + personSessions + revocations + mails + imports > 0)
        log.info(
          { responses, broadband, programSessions, tenantSessions, personSessions, revocations, mails, imports },
          'expired rows removed',
        )
    },
  }
}

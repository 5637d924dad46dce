import type { Database } from '../db/database.ts'
import { type AuditedRead, insertReads } from './audit-log.store.ts'

/** Writes an audit entry for each time that somebody sees a customer's data. */
export interface ReadLog {
  /**
   * Resolves once the entry has committed, so send the data only then. `db` says who reads: it must belong to one
   * partner. Writes none for a HEAD request, which shows nothing (`withoutEffect`). Throws `service_unavailable` if the
   * database cannot be reached.
   */
  record(db: Database, subject: { subjectType: 'customer' | 'contract'; customerId: string }): Promise<void>
}

/** The maximum number of entries in one commit. */
const entriesAtOnce = 500
/**
 * The pause after a commit with several entries. Without it, the next commit would start before most of the next
 * entries are there.
 */
const gatheringMs = 1

interface Waiting {
  read: AuditedRead
  done(): void
  failed(error: unknown): void
}

/**
 * Entries that arrive while a commit is under way wait for it to end and commit together, so under load one commit
 * covers many entries, and otherwise none waits.
 */
export function createReadLog(system: Database): ReadLog {
  let waiting: Waiting[] = []
  let isWriting = false

  async function writeAll(): Promise<void> {
    isWriting = true
    while (waiting.length > 0) {
      const batch = waiting.slice(0, entriesAtOnce)
      waiting = waiting.slice(entriesAtOnce)
      try {
        await insertReads(
          system,
          batch.map(({ read }) => read),
        )
        for (const { done } of batch) done()
        if (batch.length > 1) await new Promise((resolve) => setTimeout(resolve, gatheringMs))
      } catch (error) {
        for (const { failed } of batch) failed(error)
      }
    }
    isWriting = false
  }

  return {
    record(db, { subjectType, customerId }) {
      const { partnerId, origin, isRolledBack } = db.access ?? {}
      if (partnerId === undefined) throw new Error('only a read of one partner can be recorded')
      if (isRolledBack === true) return Promise.resolve()
      const read = { partnerId, origin, subjectType, customerId }
      return new Promise((done, failed) => {
        waiting.push({ read, done, failed })
        if (!isWriting) void writeAll()
      })
    },
  }
}

import { type BulkSession, isLockTimeout } from '../../../db/bulk/bulk-session.ts'
import { DomainError } from '../../../kernel/errors.ts'
import {
  applyLateWrites,
  carryOverProperties,
  listLateUprns,
  lockProperties,
  pause,
  swapProperties,
} from './next-properties.store.ts'
import { deleteUnfinishedImport, findUnfinishedImport, markCarried } from './property-imports.store.ts'

/** Lookups can wait half a second for each attempt, so there are pauses in between. */
const swapAttempts = 30
const betweenAttemptsSeconds = 2

/** Copies the properties that the file does not have to the new table. Takes no lock that anybody waits for. */
export function carryOver(session: BulkSession): Promise<void> {
  return session.transact(async () => {
    await carryOverProperties(session)
    await markCarried(session)
  })
}

/**
 * Puts the new table in the place of `properties` as soon as nothing holds on to that for longer than half a second. Returns how many of
 * the file's properties were stored only after they had been compared. Throws `service_unavailable` after a minute of attempts; the
 * import can then be repeated, and only the swap is missing.
 */
export async function swapWhenFree(session: BulkSession): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await swap(session)
    } catch (error) {
      if (!isLockTimeout(error)) throw error
      if (attempt === swapAttempts)
        throw new DomainError(
          'service_unavailable',
          'Something has used the table of properties for a minute, such as a backup. Repeat the import when it has finished; only the last step is missing.',
          { cause: error },
        )
    }
    await pause(session, betweenAttemptsSeconds)
  }
}

/** Writers wait while their last rows are taken over; lookups wait only for the swap itself. */
function swap(session: BulkSession): Promise<number> {
  return session.transact(async () => {
    await lockProperties(session, 'against writes')
    if ((await findUnfinishedImport(session)) === null)
      throw new DomainError('service_unavailable', 'The database was upgraded during the import. Repeat the import.')
    const storedMeanwhile = await applyLateWrites(session, await listLateUprns(session))
    await lockProperties(session, 'against reads')
    await swapProperties(session)
    await deleteUnfinishedImport(session)
    return storedMeanwhile
  })
}

import type { Logger } from 'pino'
import type { Config } from '../platform/config/config.ts'
import type { Databases } from '../platform/db/databases.ts'
import { readLatestEntries } from '../privacy/erasure-ledger/file.ts'
import { findMissedErasures } from '../privacy/find-missed-erasures.ts'

/**
 * Logs an error if the latest erasures of the ledger are missing in the database: somebody restored a backup and did
 * not replay them. The service starts all the same, because an erasure that was rolled back leaves the same trace.
 */
export async function warnOfMissedErasures({
  config,
  databases,
  log,
}: {
  config: Config
  databases: Databases
  log: Logger
}): Promise<void> {
  const entries = await readLatestEntries(config.erasureLedger.file).catch(() => [])
  const missed = await findMissedErasures({ databases }, entries)
  if (missed.length > 0)
    log.error(
      { customers: missed.length },
      'the database contains customers whose erasure is in ERASURE_LEDGER: run "housebill customers erase --replay"',
    )
}

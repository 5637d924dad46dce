import type { Logger } from 'pino'
import type { OperatorFile } from '../contracts/operator-file.ts'
import type { AgreedTerms } from '../contracts/terms/agreed-terms.ts'
import { storeTerms } from '../contracts/terms/store-terms.ts'
import type { Config } from '../platform/config/config.ts'
import { ConfigurationError } from '../platform/config/problems.ts'
import type { Database } from '../platform/db/database.ts'

/**
 * Stores the terms of the operator's file and returns the current terms as stored. If the file changes the text of a
 * stored version, live does not start: tenants may have agreed to the stored text. A sandbox logs a warning and keeps
 * the stored text.
 */
export async function readStoredTerms(
  { config, db, log }: { config: Config; db: Database; log: Pick<Logger, 'warn'> },
  operator: OperatorFile,
): Promise<AgreedTerms> {
  const { terms, hasChanged } = await storeTerms({ db }, operator)
  if (!hasChanged) return terms
  const { version } = terms
  if (config.realm === 'live') {
    throw new ConfigurationError([
      `OPERATOR_FILE changes the terms of version ${version}, which tenants may have agreed to. Give the changed terms a new terms.version, or restore terms, earlyExit and latePayment as they are at /terms/${version}`,
    ])
  }
  log.warn(
    { version },
    'the terms in OPERATOR_FILE differ from the stored ones of this version, which stay in use; change terms.version',
  )
  return terms
}

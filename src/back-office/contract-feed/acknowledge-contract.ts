import type { Caller } from '../../partners/caller.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { acknowledgedOtherwise, unknownVersion } from './acknowledgement-errors.ts'
import {
  type Acknowledgement,
  findAcknowledgement,
  findLatestVersion,
  insertAcknowledgement,
} from './acknowledgements.store.ts'

/** A version of a contract that was acknowledged. */
export interface AcknowledgedContract extends Acknowledgement {
  contractNumber: string
  /** Whether it is the latest version, so that nothing is left to take over. */
  isLatest: boolean
}

/**
 * POST /operator-api/Contracts/{number}/acknowledge: records that the back office has taken over a version. Repeating
 * it is harmless. Throws `acknowledged_otherwise` if the version was acknowledged under another reference, and
 * `validation_failed` if the contract has no such version.
 */
export function acknowledgeContract(
  { db }: { db: Database },
  caller: Caller,
  { contractNumber, version, reference }: { contractNumber: string; version: number; reference: string },
): Promise<AcknowledgedContract> {
  const { partnerId } = caller
  const contract = { partnerId, contractNumber }
  return inTransaction(db, caller, async (tx) => {
    const latest = await findLatestVersion(tx, contract)
    if (version > latest) throw unknownVersion({ from: 1, to: latest })
    await insertAcknowledgement(tx, contract, { version, reference, acknowledgedAt: caller.now })
    const stored = await findAcknowledgement(tx, contract, version)
    if (stored === undefined) throw new Error('an acknowledgement was not stored')
    if (stored.reference !== reference) throw acknowledgedOtherwise(stored)
    return { contractNumber, ...stored, isLatest: version === latest }
  })
}

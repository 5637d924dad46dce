import { type Database, inTransaction } from '../../db/database.ts'
import { DomainError } from '../../kernel/errors.ts'
import type { Caller } from '../auth/caller.ts'
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
 * POST /operator-api/Contracts/{number}/acknowledge: records that the back office has taken over a version. Repeating it is harmless. Throws
 * `acknowledged_otherwise` if the version was acknowledged under another reference, and `validation_failed` if the contract has no such
 * version.
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
    if (version > latest) throw unknownVersion(latest)
    await insertAcknowledgement(tx, contract, { version, reference, acknowledgedAt: caller.now })
    const stored = await findAcknowledgement(tx, contract, version)
    if (stored === undefined) throw new Error('an acknowledgement was not stored')
    if (stored.reference !== reference) throw otherwise(stored)
    return { contractNumber, ...stored, isLatest: version === latest }
  })
}

function unknownVersion(latest: number): DomainError {
  const detail = `Must be a version that you received: 1 to ${latest}.`
  return new DomainError('validation_failed', `/version: ${detail}`, {
    fields: [{ pointer: '/version', code: 'out_of_range', detail }],
  })
}

function otherwise({ version, reference, acknowledgedAt }: Acknowledgement): DomainError {
  return new DomainError(
    'acknowledged_otherwise',
    `Version ${version} was acknowledged under the reference ${reference} at ${acknowledgedAt.toISOString()}.`,
  )
}

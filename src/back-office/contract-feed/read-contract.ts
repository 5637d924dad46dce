import type { ContractChange } from '../../contracts/operator-feeds/feed-changes.ts'
import { recordOperatorRead } from '../../platform/audit/audit-log.store.ts'
import { type Database, inTransaction } from '../../platform/db/database.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import { type ContractRecord, recordOf } from './contract-record.ts'
import { findContractRow, listVersions } from './feed-rows.store.ts'

/** A version of a contract: what changed, and when. */
export interface ContractVersion {
  version: number
  change: ContractChange
  recordedAt: Date
}

/**
 * GET /operator-api/Contracts/{number}: a contract as it is now, with its versions. Writes an audit entry. Throws
 * `not_found`.
 */
export function readContract(
  { db, cipher }: { db: Database; cipher: FieldCipher },
  contractNumber: string,
): Promise<{ record: ContractRecord; versions: ContractVersion[] }> {
  return inTransaction(db, {}, async (tx) => {
    const [row, versions] = await Promise.all([findContractRow(tx, contractNumber), listVersions(tx, contractNumber)])
    if (row === undefined)
      throw new DomainError('not_found', 'There is no contract with this number. Check it, and its environment.')
    await recordOperatorRead(tx, 'contract', [row], () => contractNumber)
    return { record: recordOf(cipher, row), versions }
  })
}

import type { Database } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { listPartners } from '../auth/partners.store.ts'
import {
  countValuesByKey,
  type EncryptedField,
  encryptedFields,
  encryptionRowName,
  listStaleValues,
  replaceUnchangedValues,
} from './encrypted-fields.store.ts'

/** The progress of a re-encryption. */
export interface ReencryptionProgress {
  /** The number of values replaced so far. */
  done: number
  /** How many values were encrypted with other keys at the start. */
  total: number
  /** The column that is being re-encrypted. */
  column: string
}

export interface KeyUse {
  keyId: string
  /** How many values are encrypted with the key. */
  values: number
}

const batch = 100

/** Counts the values encrypted with each key, across all columns and partners. */
export async function countKeyUse({ databases }: { databases: Databases }): Promise<KeyUse[]> {
  const uses = new Map<string, number>()
  for (const { field, db, partnerId } of await listPlaces(databases)) {
    for (const { keyId, values } of await countValuesByKey(db, field, partnerId))
      uses.set(keyId, (uses.get(keyId) ?? 0) + values)
  }
  return [...uses]
    .map(([keyId, values]) => ({ keyId, values }))
    .sort((one, other) => (one.keyId < other.keyId ? -1 : 1))
}

/**
 * Re-encrypts every value that is not encrypted with the current key. Servers can keep running. Works in small batches and replaces
 * a value only if it has not changed since it was read, so no update is lost. Can be stopped and started again at any time, because
 * it skips the values that are already done. Returns how many values it replaced. Throws DecryptionError for a value whose key is
 * no longer configured.
 */
export async function reencrypt(
  { databases, cipher }: { databases: Databases; cipher: FieldCipher },
  onProgress: (progress: ReencryptionProgress) => void,
): Promise<number> {
  const keyId = cipher.currentKeyId()
  const uses = await countKeyUse({ databases })
  const total = uses.filter((use) => use.keyId !== keyId).reduce((sum, { values }) => sum + values, 0)
  let done = 0
  for (const { field, db, partnerId } of await listPlaces(databases)) {
    for (let after = ''; ; ) {
      const stale = await listStaleValues(db, field, partnerId, { keyId, after, limit: batch })
      const last = stale.at(-1)
      if (last === undefined) break
      after = last.id
      const changes = stale.map(({ id, value }) => {
        const place = { column: field.place, row: encryptionRowName(field, partnerId, id) }
        return { id, before: value, after: cipher.encrypt(cipher.decrypt(value, place), place) }
      })
      done += await replaceUnchangedValues(db, field, partnerId, changes)
      onProgress({ done, total, column: field.place })
    }
  }
  return done
}

interface Place {
  field: EncryptedField
  db: Database
  /** The partner whose rows are processed; null for the deployment's own rows. */
  partnerId: string | null
}

/**
 * Lists the encrypted columns to process. A column with partners' rows is listed once for each partner, with access to only that
 * partner's rows. A column of the deployment itself is listed once.
 */
async function listPlaces(databases: Databases): Promise<Place[]> {
  const partnerIds = (await listPartners(databases.system)).map((partner) => partner.partnerId)
  return encryptedFields.flatMap((field): Place[] =>
    field.isPartners
      ? partnerIds.map((partnerId) => ({ field, db: databases.forPartner(partnerId), partnerId }))
      : [{ field, db: databases.system, partnerId: null }],
  )
}

import type { Database } from '../../db/database.ts'
import type { Databases } from '../../db/databases.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import { listPartners } from '../auth/partners.store.ts'
import {
  boundRow,
  countByKey,
  type EncryptedField,
  encryptedFields,
  listStaleValues,
  updateValues,
} from './encrypted-fields.store.ts'

/** How far a round of re-encryption has come. */
export interface ReencryptionProgress {
  /** Values replaced so far. */
  done: number
  /** How many were under other keys when it began. */
  total: number
  /** The column being worked on. */
  column: string
}

export interface KeyUse {
  keyId: string
  /** How many values are encrypted with it. */
  values: number
}

const batch = 100

/** How many values are under each key, over everything that is encrypted. */
export async function countKeyUse({ databases }: { databases: Databases }): Promise<KeyUse[]> {
  const uses = new Map<string, number>()
  for (const { field, db, partnerId } of await listPlaces(databases)) {
    for (const { keyId, values } of await countByKey(db, field, partnerId))
      uses.set(keyId, (uses.get(keyId) ?? 0) + values)
  }
  return [...uses]
    .map(([keyId, values]) => ({ keyId, values }))
    .sort((one, other) => (one.keyId < other.keyId ? -1 : 1))
}

/**
 * Encrypts everything again that is not under the current key, beside running servers: in small batches, each value replaced
 * only where it still is what was read, so that no change is lost and a value written meanwhile stands. May be stopped at any
 * moment and begun again: what is done is passed over. Returns how many values it replaced. Throws DecryptionError for a value
 * whose key is not there any more.
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
        const place = { column: field.place, row: boundRow(field, partnerId, id) }
        return { id, before: value, after: cipher.encrypt(cipher.decrypt(value, place), place) }
      })
      done += await updateValues(db, field, partnerId, changes)
      onProgress({ done, total, column: field.place })
    }
  }
  return done
}

interface Place {
  field: EncryptedField
  db: Database
  /** Null for the deployment's own. */
  partnerId: string | null
}

/** Each column of each partner, worked on as that partner, and the deployment's own. */
async function listPlaces(databases: Databases): Promise<Place[]> {
  const partnerIds = (await listPartners(databases.system)).map((partner) => partner.partnerId)
  return encryptedFields.flatMap((field): Place[] =>
    field.isPartners
      ? partnerIds.map((partnerId) => ({ field, db: databases.forPartner(partnerId), partnerId }))
      : [{ field, db: databases.system, partnerId: null }],
  )
}

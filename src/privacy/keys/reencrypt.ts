import { listPartners } from '../../partners/partners.store.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Databases } from '../../platform/db/databases.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Rewriting } from '../../platform/keys/rewrite.ts'
import {
  countValuesByKey,
  type EncryptedField,
  encryptedFields,
  encryptionRowName,
  listStaleValues,
  replaceUnchangedValues,
} from './encrypted-fields.store.ts'

/**
 * A key as `keys status` shows it. A `retired` key encrypts no values, so it can be removed. A `missing` key encrypts
 * values but is not configured.
 */
export interface KeyState {
  keyId: string
  /** How many values are encrypted with the key. */
  values: number
  state: 'current' | 'in use' | 'retired' | 'missing'
}

const batch = 100

/** The states of the configured keys, in their configured order, followed by those of the missing keys. */
export async function readKeyStates(databases: Databases, keyIds: readonly string[]): Promise<KeyState[]> {
  const uses = new Map<string, number>()
  for (const { field, db, partnerId } of await listColumns(databases))
    for (const { keyId, values } of await countValuesByKey(db, field, partnerId))
      uses.set(keyId, (uses.get(keyId) ?? 0) + values)
  const configured = keyIds.map((keyId, index): KeyState => {
    const values = uses.get(keyId) ?? 0
    return { keyId, values, state: index === 0 ? 'current' : values > 0 ? 'in use' : 'retired' }
  })
  const missing = [...uses].filter(([keyId]) => !keyIds.includes(keyId)).sort()
  return [...configured, ...missing.map(([keyId, values]): KeyState => ({ keyId, values, state: 'missing' }))]
}

/**
 * Every column with values that are not encrypted with the current key. Throws `DecryptionError` for a value whose key
 * is not configured.
 */
export async function listReencryptions(databases: Databases, cipher: FieldCipher): Promise<Rewriting[]> {
  const keyId = cipher.currentKeyId()
  return (await listColumns(databases)).map(({ field, db, partnerId }) => ({
    column: field.location,
    async count() {
      const uses = await countValuesByKey(db, field, partnerId)
      return uses.filter((use) => use.keyId !== keyId).reduce((sum, { values }) => sum + values, 0)
    },
    async rewriteAfter(after) {
      const stale = await listStaleValues(db, field, partnerId, { keyId, after, limit: batch })
      const last = stale.at(-1)
      if (last === undefined) return undefined
      const changes = stale.map(({ id, value }) => {
        const location = { column: field.location, row: encryptionRowName(field, partnerId, id) }
        const plain = cipher.decrypt(value, location)
        const after = field.isBytes ? cipher.encryptBytes(plain, location) : cipher.encrypt(plain, location)
        return { id, before: value, after }
      })
      const replaced = await replaceUnchangedValues(db, field, partnerId, changes)
      return { found: stale.length, replaced, last: last.id }
    },
  }))
}

interface Column {
  field: EncryptedField
  db: Database
  partnerId: string | null
}

/**
 * Lists the encrypted columns. A column with partners' rows is listed once for each partner, with access to only that
 * partner's rows. A column of the deployment itself is listed once, with null as its partner.
 */
async function listColumns(databases: Databases): Promise<Column[]> {
  const partners = await listPartners(databases.system)
  return encryptedFields.flatMap((field): Column[] =>
    field.isPartners
      ? partners.map(({ partnerId }) => ({ field, db: databases.forPartner(partnerId), partnerId }))
      : [{ field, db: databases.system, partnerId: null }],
  )
}

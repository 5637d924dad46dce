import type { Queryable } from '../../platform/db/database.ts'
import { type Sql, sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PersonalDetails } from './customer.ts'
import { decryptPersonal } from './customers.store.ts'

export interface StalePersonHashes {
  customerId: Id<'tenant'>
  personal: PersonalDetails
  personalEncrypted: string
}

/** The customers whose hashes were not all made with the key that has this id. Erased customers have none. */
function isStale(keyId: string): Sql {
  return sql`erased_at is null
       and (split_part(email_hash, '.', 1) <> ${keyId} or phone_hash is null or phone_hash <> ''
            and split_part(phone_hash, '.', 1) <> ${keyId})`
}

/** How many customers of the partner `listStaleHashes` would list. */
export async function countStaleHashes(db: Queryable, partnerId: string, keyId: string): Promise<number> {
  const [row] = await db.query<{ customers: number }>(
    sql`select count(*)::integer as customers from customers where partner_id = ${partnerId} and ${isStale(keyId)}`,
  )
  return row?.customers ?? 0
}

/** The partner's next customers, in id order, whose hashes were not all made with the key that has this id. */
export async function listStaleHashes(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: string,
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<StalePersonHashes[]> {
  const rows = await db.query<Omit<StalePersonHashes, 'personal'>>(sql`
    select customer_id as "customerId", personal_encrypted as "personalEncrypted" from customers
     where partner_id = ${partnerId} and customer_id > ${after} and ${isStale(keyId)}
     order by customer_id limit ${limit}`)
  return rows.map((row) => ({ ...row, personal: decryptPersonal(cipher, row) }))
}

/**
 * Replaces hashes, except of customers whose details have changed since they were read (`before`). Returns how many
 * customers it changed.
 */
export async function replaceHashes(
  db: Queryable,
  partnerId: string,
  changes: readonly { customerId: string; before: string; email: string; phone: string }[],
): Promise<number> {
  const column = (name: 'customerId' | 'before' | 'email' | 'phone') => changes.map((change) => change[name])
  const rows = await db.query(sql`
    update customers set email_hash = change.email, phone_hash = change.phone
      from unnest(${column('customerId')}::text[], ${column('before')}::text[], ${column('email')}::text[],
                  ${column('phone')}::text[])
             as change (customer_id, before, email, phone)
     where customers.partner_id = ${partnerId} and customers.customer_id = change.customer_id
       and customers.personal_encrypted = change.before
    returning 1`)
  return rows.length
}

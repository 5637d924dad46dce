import type { Queryable } from '../../db/database.ts'
import { sql } from '../../db/sql.ts'
import type { FieldCipher } from '../../kernel/field-encryption.ts'
import type { PersonalDetails } from './customer.ts'

export interface StaleEmailHash {
  customerId: string
  email: string
  emailHash: string
}

/** The partner's next customers, in id order, whose e-mail hash was not made with the key that has this id. Erased customers have none. */
export async function listStaleEmailHashes(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: string,
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<StaleEmailHash[]> {
  const rows = await db.query<Omit<StaleEmailHash, 'email'> & { personalEncrypted: string }>(sql`
    select customer_id as "customerId", personal_encrypted as "personalEncrypted", email_hash as "emailHash" from customers
     where partner_id = ${partnerId} and customer_id > ${after} and split_part(email_hash, '.', 1) <> ${keyId}
       and email_hash not like 'erased:%'
     order by customer_id limit ${limit}`)
  return rows.map(({ customerId, emailHash, personalEncrypted }) => {
    const plain = cipher.decrypt(personalEncrypted, { column: 'customers.personal', row: customerId })
    const { email } = JSON.parse(plain.toString('utf8')) as PersonalDetails
    return { customerId, emailHash, email }
  })
}

/** Replaces e-mail hashes, except those that have changed since they were read. Returns how many it replaced. */
export async function replaceEmailHashes(
  db: Queryable,
  partnerId: string,
  changes: readonly { customerId: string; before: string; after: string }[],
): Promise<number> {
  const rows = await db.query(sql`
    update customers set email_hash = change.after
      from unnest(${changes.map(({ customerId }) => customerId)}::text[], ${changes.map(({ before }) => before)}::text[],
                  ${changes.map(({ after }) => after)}::text[]) as change (customer_id, before, after)
     where customers.partner_id = ${partnerId} and customers.customer_id = change.customer_id
       and customers.email_hash = change.before
    returning 1`)
  return rows.length
}

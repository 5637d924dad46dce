import type { Queryable } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { PsrDetails } from './psr.ts'

const psrColumn = 'customers.psr'

/** The details as the column `psr_encrypted` contains them. */
export function encryptPsr(cipher: FieldCipher, psr: PsrDetails, customerId: string): string {
  return cipher.encrypt(JSON.stringify(psr), { column: psrColumn, row: customerId })
}

/**
 * The customer's Priority Services Register details; null if they gave none. The same statement records the reader in
 * the audit log.
 */
export async function findPsr(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<PsrDetails | null> {
  const [row] = await db.query<{ psrEncrypted: string }>(sql`
    select psr_encrypted as "psrEncrypted",
           insert_audit_entry(partner_id, 'psr.read', 'customer', customer_id, quote_id, customer_id, '{psr}')
      from customers where partner_id = ${partnerId} and customer_id = ${customerId} and psr_encrypted is not null`)
  return row === undefined ? null : decryptPsr(cipher, { customerId, psrEncrypted: row.psrEncrypted })
}

/**
 * When the customer gave the needs that are stored; null without needs. Whether somebody has needs is health data too:
 * show it to nobody but the customer.
 */
export async function findPsrGivenAt(
  db: Queryable,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<Date | null> {
  const [row] = await db.query<{ givenAt: Date | null }>(sql`
    select psr_given_at as "givenAt" from customers where partner_id = ${partnerId} and customer_id = ${customerId}`)
  return row?.givenAt ?? null
}

/** The details of a row that was read with an audit entry `psr.read`. */
export function decryptPsr(cipher: FieldCipher, row: { customerId: string; psrEncrypted: string }): PsrDetails {
  return JSON.parse(cipher.decrypt(row.psrEncrypted, { column: psrColumn, row: row.customerId }).toString())
}

import type { ContractStatus } from '../../contracts/contract.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { QuotedAddress } from '../../quoting/quotes/quote.ts'
import type { EmailFate } from '../../quoting/tenants/customer.ts'
import { lastEmail } from '../../quoting/tenants/customer-list.store.ts'

/** A customer of any partner, with what is stored encrypted. */
export interface FoundRow {
  customerId: Id<'tenant'>
  partnerId: Id<'partner'>
  partnerName: string
  quoteId: Id<'quote'>
  personalEncrypted: string
  referenceEncrypted: string | null
  address: QuotedAddress
  contracts: { contractNumber: string; status: ContractStatus }[]
  createdAt: Date
  removedAt: Date | null
  erasedAt: Date | null
  /** Why the latest e-mail that was to be sent did not reach them; null if it did. */
  lastEmail: EmailFate | null
}

/** What customers are found by: every given member must match. A hash matches if it is one of the list. */
export interface CustomerKeys {
  emailHashes?: readonly string[] | undefined
  phoneHashes?: readonly string[] | undefined
  /** Normalised, as it is stored. */
  postCode?: string | undefined
  branch?: string | undefined
  /** The hashes of a reference differ between partners. */
  references?: readonly { partnerId: string; hash: string }[] | undefined
  contractNumber?: string | undefined
  quoteId?: string | undefined
}

/**
 * Customers of all partners after an id, the latest first, at most `limit`. Sorts by an expression, so that PostgreSQL
 * does not go through all customers in the order of their key: few match.
 */
export function listFoundCustomers(
  system: Queryable,
  keys: CustomerKeys,
  { after, limit }: { after: Id<'tenant'> | undefined; limit: number },
): Promise<FoundRow[]> {
  return system.query<FoundRow>(sql`
    select c.customer_id as "customerId", c.partner_id as "partnerId", p.name as "partnerName", c.quote_id as "quoteId",
           c.personal_encrypted as "personalEncrypted", q.reference_encrypted as "referenceEncrypted", q.address,
           (select coalesce(jsonb_agg(jsonb_build_object('contractNumber', k.contract_number, 'status', k.status)
                                      order by k.agreed_at, k.ended_on), '[]')
              from contracts k where k.partner_id = c.partner_id and k.customer_id = c.customer_id) as contracts,
           c.created_at as "createdAt", c.removed_at as "removedAt", c.erased_at as "erasedAt",
           ${lastEmail}
      from customers c
      join quotes q on q.partner_id = c.partner_id and q.quote_id = c.quote_id
      join partners p on p.partner_id = c.partner_id
     where ${after === undefined ? sql`true` : sql`c.customer_id < ${after}`} ${matches(keys)}
     order by c.customer_id || '' desc limit ${limit}`)
}

function matches({
  emailHashes,
  phoneHashes,
  postCode,
  branch,
  references,
  contractNumber,
  quoteId,
}: CustomerKeys): Sql {
  return sql`
    ${emailHashes === undefined ? empty : sql`and c.email_hash = any(${[...emailHashes]}::text[])`}
    ${phoneHashes === undefined ? empty : sql`and c.phone_hash = any(${[...phoneHashes]}::text[])`}
    ${quoteId === undefined ? empty : sql`and c.quote_id = ${quoteId}`}
    ${postCode === undefined ? empty : sql`and q.post_code = ${postCode}`}
    ${branch === undefined ? empty : sql`and q.branch = ${branch}`}
    ${references === undefined ? empty : sql`and (q.partner_id, q.reference_hash) in (${pairs(references)})`}
    ${
      contractNumber === undefined
        ? empty
        : sql`and (c.partner_id, c.customer_id) in (select k.partner_id, k.customer_id from contracts k
          where k.contract_number = ${contractNumber})`
    }`
}

function pairs(references: readonly { partnerId: string; hash: string }[]): Sql {
  return sql`select * from unnest(${references.map(({ partnerId }) => partnerId)}::text[],
    ${references.map(({ hash }) => hash)}::text[])`
}

/** The ids of all partners. */
export async function listPartnerIds(system: Queryable): Promise<string[]> {
  const rows = await system.query<{ partnerId: string }>(sql`select partner_id as "partnerId" from partners`)
  return rows.map(({ partnerId }) => partnerId)
}

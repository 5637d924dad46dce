import type { Queryable, Tx } from '../../platform/db/database.ts'
import { sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { EndCause } from '../contract.ts'

/** What a tenant asks of the operator, and its answer. */
interface EndRequestDetails {
  cause: EndCause
  /** The last day that they ask for. */
  lastDay: IsoDate
  /** Also how to reach them. */
  comment: string | null
  answer: string | null
}

/** A tenant's request to end their contract. Times are on the partner's clock. */
export interface EndRequest extends EndRequestDetails {
  contractNumber: string
  askedAt: Date
  /** The day by which the operator ends the contract or answers. */
  dueOn: IsoDate
  /** Null while it is open. */
  outcome: 'ended' | 'answered' | null
}

interface Of {
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
}

const detailsColumn = 'end_requests.details'

/** What a customer asked last; undefined if they never did. */
export async function findEndRequest(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, customerId }: Of,
): Promise<EndRequest | undefined> {
  const [row] = await db.query<Omit<EndRequest, keyof EndRequestDetails> & { details: string }>(sql`
    select contract_number as "contractNumber", details_encrypted as details, asked_at as "askedAt",
           due_on::text as "dueOn", outcome
      from end_requests where partner_id = ${partnerId} and customer_id = ${customerId}`)
  if (row === undefined) return undefined
  const { details, ...request } = row
  const plain = cipher.decrypt(details, { column: detailsColumn, row: customerId }).toString('utf8')
  return { ...(JSON.parse(plain) as EndRequestDetails), ...request }
}

/** Stores what a tenant asks or was answered, in place of what they asked before. The caller holds the quote's row lock. */
export async function saveEndRequest(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, customerId }: Of,
  { contractNumber, askedAt, dueOn, outcome, ...asked }: EndRequest,
): Promise<void> {
  const details = cipher.encrypt(JSON.stringify(asked), { column: detailsColumn, row: customerId })
  await tx.query(sql`
    insert into end_requests (customer_id, partner_id, contract_number, details_encrypted, asked_at, due_on, outcome)
    values (${customerId}, ${partnerId}, ${contractNumber}, ${details}, ${askedAt}, ${dueOn}, ${outcome})
    on conflict (customer_id, partner_id) do update
       set contract_number = excluded.contract_number, details_encrypted = excluded.details_encrypted,
           asked_at = excluded.asked_at, due_on = excluded.due_on, outcome = excluded.outcome`)
}

/**
 * Notes that the operator ended the contract of a customer who asked, if they did. Returns whether they
 * did. The caller holds the quote's row lock.
 */
export async function closeEndRequest(tx: Tx, { partnerId, customerId }: Of): Promise<boolean> {
  const closed = await tx.query(sql`
    update end_requests set outcome = 'ended'
     where partner_id = ${partnerId} and customer_id = ${customerId} and outcome is null returning 1`)
  return closed.length > 0
}

/** Deletes what a customer asked. */
export async function deleteEndRequest(tx: Tx, { partnerId, customerId }: Of): Promise<void> {
  await tx.query(sql`delete from end_requests where partner_id = ${partnerId} and customer_id = ${customerId}`)
}

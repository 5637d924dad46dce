import type { Confirmer } from '../partners/partner-settings.schema.ts'
import { latestDay } from '../partners/partners.store.ts'
import type { Origin } from '../platform/db/access.ts'
import type { Queryable, Tx } from '../platform/db/database.ts'
import { empty, sql } from '../platform/db/sql.ts'
import type { IsoDate } from '../platform/kernel/dates.ts'
import type { FieldCipher } from '../platform/kernel/field-encryption.ts'
import type { Id } from '../platform/kernel/ids.ts'
import type { Acceptance } from '../quoting/tenants/customer.ts'
import type { Contract, ContractStatus, EndCause, EndReason, EndReasonCheck } from './contract.ts'
import { newContractNumber } from './contract-number.ts'
import type { RecordedChange } from './operator-feeds/record-contract-change.ts'
import type { Agreement } from './preview/agreement.ts'

const contractColumns = sql`
  k.contract_number as "contractNumber", k.partner_id as "partnerId", k.quote_id as "quoteId",
  k.customer_id as "customerId",
  k.status, k.agreed_at as "agreedAt", k.effective_at as "effectiveAt", k.starts_on::text as "startsOn",
  k.ends_on::text as "endsOn",
  k.ended_on::text as "endedOn", k.end_reason as "endReason", k.end_set_by as "endSetBy", k.acceptance, k.price,
  k.document_hash as "documentHash", k.confirmed_by as "confirmedBy", k.confirmation_sent_at as "confirmationSentAt"`

/** All contracts of a customer, the latest first; of two agreed at one moment, the one that binds. */
export function listContracts(db: Queryable, partnerId: Id<'partner'>, customerId: Id<'tenant'>): Promise<Contract[]> {
  return db.query<Contract>(sql`
    select ${contractColumns} from contracts k
     where k.partner_id = ${partnerId} and k.customer_id = ${customerId}
     order by k.agreed_at desc, k.status in ('agreed', 'in_force') desc`)
}

/** One of the partner's contracts; undefined if it has none with this number. */
export async function findContract(
  db: Queryable,
  partnerId: Id<'partner'>,
  contractNumber: string,
): Promise<Contract | undefined> {
  const [contract] = await db.query<Contract>(sql`
    select ${contractColumns} from contracts k where k.partner_id = ${partnerId}
        and k.contract_number = ${contractNumber}`)
  return contract
}

/** The contracts of a quote's tenants that are now `status`, in the order in which they were agreed. */
export function listContractsOfQuote(
  db: Queryable,
  { partnerId, quoteId }: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
  status: ContractStatus,
): Promise<Contract[]> {
  return db.query<Contract>(sql`
    select ${contractColumns} from contracts k
     where k.partner_id = ${partnerId} and k.quote_id = ${quoteId} and k.status = ${status}
     order by k.agreed_at, k.contract_number`)
}

/** A contract in force that is due for its end or for a notice of it, on its partner's clock. */
export interface DueContract {
  contractNumber: string
  lastDay: IsoDate
  partnerId: Id<'partner'>
  quoteId: Id<'quote'>
  clockOffsetSeconds: number
}

/**
 * Contracts of all partners whose last day is over, or which have had no notice yet although `noticeDays` (descending)
 * are left: the one whose last day is first, first, from the one after `after`. `now` is real time; each partner's
 * clock is added to it.
 */
export function listDueContracts(
  db: Queryable,
  {
    now,
    noticeDays: [first, second],
    after,
    limit,
  }: { now: Date; noticeDays: readonly [first: number, second: number]; after: DueContract | undefined; limit: number },
): Promise<DueContract[]> {
  return db.query<DueContract>(sql`
    select contract_number as "contractNumber", last_day::text as "lastDay", partner_id as "partnerId",
           quote_id as "quoteId", clock_offset_seconds as "clockOffsetSeconds"
      from (select contract_number, partner_id, quote_id, last_day, ending_notices, p.clock_offset_seconds::float8,
                   k.last_day - (
                     (${now}::timestamptz + make_interval(secs => p.clock_offset_seconds)) at time zone
                       'Europe/London')::date as days_left
              from contracts k join partners p using (partner_id)
             where k.status = 'in_force' and k.last_day > '-infinity'
               and k.last_day <= ${latestDay(now)} + ${first}::int
               ${
                 after === undefined
                   ? empty
                   : sql`and (k.last_day, k.contract_number) > (${after.lastDay}::date, ${after.contractNumber})`
               }) k
     where days_left < 0 or (days_left <= ${first} and ending_notices < 1)
       or (days_left <= ${second} and ending_notices < 2)
     order by last_day, contract_number limit ${limit}`)
}

/** Records how many notices of its end a contract has had. */
export async function recordEndingNotices(
  tx: Tx,
  partnerId: Id<'partner'>,
  contractNumber: string,
  notices: number,
): Promise<void> {
  await tx.query(sql`
    update contracts set ending_notices = ${notices} where partner_id = ${partnerId}
        and contract_number = ${contractNumber}`)
}

/** Stores a new contract under a new number, which it returns. */
export async function insertContract(
  tx: Tx,
  _recorded: RecordedChange,
  contract: Pick<
    Contract,
    'partnerId' | 'quoteId' | 'customerId' | 'status' | 'agreedAt' | 'effectiveAt' | 'startsOn' | 'endsOn'
  >,
): Promise<string> {
  for (;;) {
    const number = newContractNumber()
    const stored = await tx.query(sql`
      with taken as (insert into contract_numbers values (${number}) on conflict do nothing returning 1)
      insert into contracts (contract_number, partner_id, quote_id, customer_id, status, agreed_at, effective_at,
                             starts_on, ends_on, updated_at)
      select ${number}, ${contract.partnerId}, ${contract.quoteId}, ${contract.customerId}, ${contract.status},
             ${contract.agreedAt}::timestamptz, ${contract.effectiveAt}::timestamptz, ${contract.startsOn}::date,
             ${contract.endsOn}::date, ${contract.agreedAt}::timestamptz
        from taken returning 1`)
    if (stored.length === 1) return number
  }
}

/**
 * From which IP address and user agent the terms were accepted, and what the tenant read while accepting: what the
 * block above the button and the button itself said (CCR 2013, regs. 13 and 14). As reported by the partner, or by our
 * own pages. Encrypted, because they are personal data.
 */
export interface AcceptanceEvidence {
  tenantIp?: string
  tenantUserAgent?: string
  shownText?: string
}

/**
 * The location to which encryption binds the evidence. Its name is from when the evidence was a column of `customers`.
 */
const evidenceColumn = 'customers.acceptance_evidence'
const agreementColumn = 'contracts.agreement'
const endingColumn = 'contracts.ending'

/** Stores what was agreed. The contract was inserted in the same transaction. */
export async function recordAgreement(
  tx: Tx,
  _recorded: RecordedChange,
  cipher: FieldCipher,
  contract: { partnerId: Id<'partner'>; contractNumber: string },
  agreed: {
    acceptance: Acceptance
    evidence: AcceptanceEvidence
    agreement: Agreement
    documentHash: string
    price: Contract['price']
  },
): Promise<void> {
  const { partnerId, contractNumber } = contract
  const agreement = cipher.encrypt(JSON.stringify(agreed.agreement), { column: agreementColumn, row: contractNumber })
  const evidence = cipher.encrypt(JSON.stringify(agreed.evidence), { column: evidenceColumn, row: contractNumber })
  await tx.query(sql`
    update contracts set acceptance = ${JSON.stringify(agreed.acceptance)}::jsonb, evidence_encrypted = ${evidence},
           price = ${JSON.stringify(agreed.price)}::jsonb, document_hash = ${agreed.documentHash},
           agreement_encrypted = ${agreement}
     where partner_id = ${partnerId} and contract_number = ${contractNumber}`)
}

/** Decrypts what was agreed, from a contract's row. */
export function decryptAgreement(cipher: FieldCipher, contractNumber: string, encrypted: string): Agreement {
  const plain = cipher.decrypt(encrypted, { column: agreementColumn, row: contractNumber })
  return JSON.parse(plain.toString('utf8')) as Agreement
}

/** The evidence of an acceptance; null if none is kept. */
export async function findEvidence(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, contractNumber }: { partnerId: Id<'partner'>; contractNumber: string },
): Promise<AcceptanceEvidence | null> {
  const [row] = await db.query<{ evidence: string }>(sql`
    select evidence_encrypted as evidence from contracts
     where partner_id = ${partnerId} and contract_number = ${contractNumber} and evidence_encrypted is not null`)
  if (row === undefined) return null
  const plain = cipher.decrypt(row.evidence, { column: evidenceColumn, row: contractNumber })
  return JSON.parse(plain.toString('utf8')) as AcceptanceEvidence
}

/**
 * Moves contracts to another status. The caller holds the quote's row lock and has checked that the move is allowed.
 */
export async function updateContracts(
  tx: Tx,
  _recorded: RecordedChange,
  partnerId: Id<'partner'>,
  contractNumbers: readonly string[],
  change: {
    status: ContractStatus
    now: Date
    effectiveAt?: Date
    endedOn?: IsoDate
    endReason?: EndReason
  },
): Promise<void> {
  await tx.query(sql`
    update contracts
       set status = ${change.status}, effective_at = coalesce(${change.effectiveAt ?? null}, effective_at),
           ended_on = ${change.endedOn ?? null}, end_reason = ${change.endReason ?? null}, updated_at = ${change.now}
     where partner_id = ${partnerId} and contract_number = any(${[...contractNumbers]}::text[])`)
}

/**
 * Notes for the quote's contracts that took effect at this moment who sends their confirmations: whom the operator
 * chose for the partner, or `byDefault`. Returns these contracts, in the order in which they were agreed. Repeating it
 * returns none.
 */
export async function startConfirming(
  tx: Tx,
  { partnerId, quoteId }: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
  { effectiveAt, byDefault }: { effectiveAt: Date; byDefault: Confirmer },
): Promise<Contract[]> {
  const contracts = await tx.query<Contract>(sql`
    update contracts k set confirmed_by = coalesce(p.confirmations, ${byDefault})
      from partners p
     where k.partner_id = ${partnerId} and p.partner_id = ${partnerId} and k.quote_id = ${quoteId}
       and k.status = 'in_force' and k.effective_at = ${effectiveAt} and k.confirmed_by is null
    returning ${contractColumns}`)
  return contracts.sort(
    (one, other) =>
      one.agreedAt.getTime() - other.agreedAt.getTime() || one.contractNumber.localeCompare(other.contractNumber),
  )
}

/**
 * Records when a contract's confirmation was sent. What counts is when it was first sent: returns false and changes
 * nothing if it was sent before.
 */
export async function recordConfirmationSent(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, contractNumber }: Pick<Contract, 'partnerId' | 'contractNumber'>,
  sentAt: Date,
): Promise<boolean> {
  const changed = await tx.query(sql`
    update contracts set confirmation_sent_at = ${sentAt}
     where partner_id = ${partnerId} and contract_number = ${contractNumber}
       and (confirmation_sent_at is null or confirmation_sent_at > ${sentAt})
    returning 1`)
  return changed.length > 0
}

/** Decrypts why a contract ends early, from its row; null if it does not, or was cancelled or taken over. */
export function decryptEndCause(
  cipher: FieldCipher,
  contractNumber: string,
  encrypted: string | null,
): EndCause | null {
  if (encrypted === null) return null
  const plain = cipher.decrypt(encrypted, { column: endingColumn, row: contractNumber })
  return (JSON.parse(plain.toString('utf8')) as { cause?: EndCause }).cause ?? null
}

/**
 * Stores what was said about the end of a contract, what is owed in the end, and who can change it. Notices of an
 * earlier end that was set do not count for this one.
 */
export async function recordEnding(
  tx: Tx,
  _recorded: RecordedChange,
  cipher: FieldCipher,
  { partnerId, contractNumber }: Pick<Contract, 'partnerId' | 'contractNumber'>,
  { notice, settlement, setBy = null }: { notice: object; settlement: object; setBy?: Contract['endSetBy'] },
): Promise<void> {
  const ending = cipher.encrypt(JSON.stringify(notice), { column: endingColumn, row: contractNumber })
  await tx.query(sql`
    update contracts set ending_encrypted = ${ending}, final_statement = ${JSON.stringify(settlement)}::jsonb,
           end_set_by = ${setBy}, end_reason_check = null, end_reason_checked_at = null,
           ending_notices = case when ended_on is null then ending_notices else 0 end
     where partner_id = ${partnerId} and contract_number = ${contractNumber}`)
}

/** Forgets the end that was set for a contract. */
export async function forgetEnding(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, contractNumber }: Pick<Contract, 'partnerId' | 'contractNumber'>,
): Promise<void> {
  await tx.query(sql`
    update contracts set ending_encrypted = null, final_statement = null, end_set_by = null, ending_notices = 0,
           end_reason_check = null, end_reason_checked_at = null
     where partner_id = ${partnerId} and contract_number = ${contractNumber}`)
}

/** Records whether the reason for the end of a contract is true. The caller holds the quote's row lock. */
export async function updateEndReasonCheck(
  tx: Tx,
  { partnerId, contractNumber }: Pick<Contract, 'partnerId' | 'contractNumber'>,
  { check, now }: { check: EndReasonCheck; now: Date },
): Promise<void> {
  await tx.query(sql`
    update contracts set end_reason_check = ${check}, end_reason_checked_at = ${now}
     where partner_id = ${partnerId} and contract_number = ${contractNumber}
       and end_reason_check is distinct from ${check}`)
}

/** Who acts in this transaction; null for a job. */
export async function findActor(tx: Tx): Promise<Origin['actor'] | null> {
  const [row] = await tx.query<{ actor: Origin['actor'] | null }>(sql`
    select nullif(current_setting('housebill.origin', true), '')::jsonb ->> 'actor' as actor`)
  return row?.actor ?? null
}

import type { Contract, ContractStatus } from '../../contracts/contract.ts'
import type { ContractChange } from '../../events/operator-feeds/feed-changes.ts'
import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { BroadbandProduct } from '../../quoting/packages/package.ts'
import type { ReportedStatuses } from '../../quoting/packages/service-status.ts'
import type { QuotedAddress, QuoteStage } from '../../quoting/quotes/quote.ts'

/** A contract of any partner as the operator's software sees it, before decryption. */
export interface ContractRow extends Contract {
  version: number
  partnerName: string
  joiningNumber: number
  personalEncrypted: string
  agreementEncrypted: string | null
  finalStatement: unknown
  erasedAt: Date | null
  processorCustomerId: string | null
  quoteStage: QuoteStage
  address: QuotedAddress
  broadbandProducts: BroadbandProduct[]
  broadbandStartDate: IsoDate | null
  selectedInstallDate: IsoDate | null
  serviceStatuses: ReportedStatuses
  reports: Record<string, { effectiveOn: IsoDate; supplierReference: string | null; reason: string | null }>
  corrected: { mpan: string | null; mprn: string | null; installDate: IsoDate | null }
  card: { setupIntentId: string; encrypted: string } | null
  household: { contractNumber: string; customerId: Id<'tenant'>; status: ContractStatus }[]
  lead: { customerId: Id<'tenant'>; personalEncrypted: string; isErased: boolean } | null
}

/** An entry of the feed: a version of a contract, with the contract as it is now. */
export interface FeedRow extends ContractRow {
  position: string
  entryVersion: number
  change: ContractChange
  recordedAt: Date
}

const contractColumns = sql`
  k.contract_number as "contractNumber", k.partner_id as "partnerId", k.quote_id as "quoteId",
  k.customer_id as "customerId", k.status,
  k.agreed_at as "agreedAt", k.effective_at as "effectiveAt", k.starts_on::text as "startsOn",
  k.ends_on::text as "endsOn",
  k.ended_on::text as "endedOn", k.end_reason as "endReason", k.acceptance, k.price, k.document_hash as "documentHash",
  k.confirmed_by as "confirmedBy", k.confirmation_sent_at as "confirmationSentAt",
  k.agreement_encrypted as "agreementEncrypted", k.final_statement as "finalStatement", k.version,
  p.name as "partnerName", c.joining_number as "joiningNumber", c.personal_encrypted as "personalEncrypted",
  c.erased_at as "erasedAt",
  c.processor_customer_id as "processorCustomerId", q.stage as "quoteStage", q.address,
  q.broadband_products as "broadbandProducts",
  q.broadband_start_date::text as "broadbandStartDate", q.selected_install_date::text as "selectedInstallDate",
  q.service_statuses as "serviceStatuses",
  (select coalesce(jsonb_object_agg(r.service_id, jsonb_build_object('effectiveOn', r.effective_on, 'reason', r.reason,
                                                           'supplierReference', r.supplier_reference)), '{}')
     from (select distinct on (service_id) * from service_reports
            where partner_id = k.partner_id and quote_id = k.quote_id
            order by service_id, report_number desc) r) as reports,
  (select jsonb_build_object(
            'mpan', (array_agg(f.mpan order by f.correction_number desc) filter (where f.mpan is not null))[1],
            'mprn', (array_agg(f.mprn order by f.correction_number desc) filter (where f.mprn is not null))[1],
            'installDate', (array_agg(f.install_date
                                      order by f.correction_number desc) filter (where f.install_date is not null))[1])
     from contract_corrections f where f.partner_id = k.partner_id and f.quote_id = k.quote_id) as corrected,
  (select jsonb_build_object('setupIntentId', s.setup_intent_id, 'encrypted', s.card_encrypted) from setup_intents s
    where s.customer_id = k.customer_id and s.partner_id = k.partner_id and s.status = 'succeeded'
      and s.card_encrypted is not null
    order by s.created_at desc limit 1) as card,
  (select jsonb_agg(jsonb_build_object('contractNumber', h.contract_number, 'customerId', h.customer_id, 'status',
                                       h.status)
                    order by h.agreed_at, h.contract_number)
     from contracts h where h.partner_id = k.partner_id and h.quote_id = k.quote_id) as household,
  (select jsonb_build_object('customerId', l.customer_id, 'personalEncrypted', l.personal_encrypted, 'isErased',
                             l.erased_at is not null)
     from customers l
    where l.partner_id = k.partner_id and l.quote_id = k.quote_id and l.removed_at is null
    order by l.joining_number limit 1) as lead`

const joins = sql`
  join contracts k on k.partner_id = v.partner_id and k.contract_number = v.contract_number
  join customers c on c.partner_id = k.partner_id and c.customer_id = k.customer_id
  join quotes q on q.partner_id = k.partner_id and q.quote_id = k.quote_id
  join partners p on p.partner_id = k.partner_id`

/** Which entries are listed: all, only the last one of each contract, or only the last one of each household. */
export type FeedSelection = 'every change' | 'contracts' | 'households'

const selections: Record<FeedSelection, Sql> = {
  'every change': empty,
  contracts: sql`and not exists (select from contract_versions later
    where later.partner_id = v.partner_id and later.contract_number = v.contract_number
      and later.position > v.position)`,
  households: sql`and not exists (select from contracts h
                                  join contract_versions later on later.contract_number = h.contract_number
    where h.partner_id = k.partner_id and h.quote_id = k.quote_id and later.position > v.position)`,
}

/** The entries of all partners after a position and up to another, at most `limit`, in the order of their positions. */
export function listFeedRows(
  system: Queryable,
  {
    after,
    until,
    limit,
    selection = 'every change',
  }: { after: string; until: string | undefined; limit: number; selection?: FeedSelection },
): Promise<FeedRow[]> {
  return system.query<FeedRow>(sql`
    select v.position::text as position, v.version as "entryVersion", v.change, v.recorded_at as "recordedAt",
           ${contractColumns}
      from contract_versions v ${joins}
     where v.position > ${after}::bigint ${until === undefined ? empty : sql`and v.position <= ${until}::bigint`} ${selections[selection]}
     order by v.position limit ${limit}`)
}

/** One contract of any partner. */
export async function findContractRow(system: Queryable, contractNumber: string): Promise<ContractRow | undefined> {
  const [row] = await system.query<ContractRow>(sql`
    select ${contractColumns} from contract_versions v ${joins} where v.contract_number = ${contractNumber}
        and v.version = 1`)
  return row
}

/** A contract's versions, the oldest first. */
export function listVersions(
  system: Queryable,
  contractNumber: string,
): Promise<{ version: number; change: ContractChange; recordedAt: Date }[]> {
  return system.query(sql`
    select version, change, recorded_at as "recordedAt" from contract_versions
     where contract_number = ${contractNumber} order by version`)
}

/**
 * How many contracts that are or were in force have had a version for a day that nobody has acknowledged; at most
 * `limit`. Uses real time.
 */
export async function countUnacknowledged(system: Queryable, limit: number): Promise<number> {
  const [row] = await system.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select distinct k.contract_number from contract_versions v join contracts k using (partner_id, contract_number)
       where not v.is_acknowledged and v.recorded_at < now() - interval '1 day' and k.effective_at is not null
       limit ${limit}) waiting`)
  return row?.count ?? 0
}

/**
 * How many services of homes with a contract in force have begun before today in their partner's clock, and have no
 * report; at most `limit`. Their ids are those of `serviceIds`.
 */
export async function countUnreported(system: Queryable, limit: number): Promise<number> {
  const [row] = await system.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select distinct k.quote_id, line.service_id
        from contracts k join quotes q using (partner_id, quote_id) join partners p using (partner_id)
       cross join lateral (select ((now() + make_interval(secs => p.clock_offset_seconds)) at time zone 'Europe/London')::date as today) clock
       cross join lateral (
         select each.start_date, repeat(each.package_id || '/', same_id::int - 1) || each.id as service_id
           from (select (value ->> 'startDate')::date as start_date, value ->> 'packageId' as package_id,
                        coalesce(value ->> 'productId', value ->> 'packageId') as id,
                        row_number() over (partition by coalesce(value ->> 'productId', value ->> 'packageId')
                                           order by ordinality) as same_id
                   from jsonb_array_elements(k.price -> 'lines') with ordinality) each) line
       where k.status = 'in_force' and k.starts_on < clock.today and line.start_date < clock.today
         and not q.service_statuses ? line.service_id
       limit ${limit}) waiting`)
  return row?.count ?? 0
}

/** The feeds of the operator API. */
export type FeedName = 'contracts' | 'psr'

/** What identifies a feed, and where it ends. */
export async function findFeedState(
  system: Queryable,
  feed: FeedName,
): Promise<{ epoch: string; lastPosition: string }> {
  const lastPosition = { contracts: sql`last_position`, psr: sql`last_psr_position` }[feed]
  // A restore into another server or database, or to an earlier time, changes one of the first three.
  const [row] = await system.query<{ epoch: string; lastPosition: string }>(sql`
    select ${lastPosition}::text as "lastPosition", left(encode(sha256(convert_to(
             (select system_identifier::text from pg_control_system()) || ' ' || (select timeline_id
               from pg_control_checkpoint()) || ' ' ||
             (select oid from pg_database where datname = current_database()) || ' ' || generation || ' ' || ${feed},
             'UTF8')), 'hex'), 12) as epoch
      from contract_feed`)
  if (row === undefined) throw new Error('the contract feed has no state')
  return row
}

/** The position of the entry that is `count` entries after a position; undefined if there are fewer. */
export async function findPositionAhead(
  system: Queryable,
  feed: FeedName,
  { after, count }: { after: string; count: number },
): Promise<string | undefined> {
  const table = { contracts: sql`contract_versions`, psr: sql`psr_entries` }[feed]
  const [row] = await system.query<{ position: string }>(sql`
    select position::text as position from ${table}
     where position > ${after}::bigint order by position offset ${count - 1} limit 1`)
  return row?.position
}

/** Records who read contracts, in the transaction of the read. `contracts` lists their numbers by partner. */
export async function recordOperatorRead(
  system: Queryable,
  subjectType: 'contract' | 'psr' | 'payment' | 'customer',
  contracts: Readonly<Record<string, readonly string[]>>,
): Promise<void> {
  const action = subjectType === 'psr' ? 'psr.read' : 'read'
  await system.query(sql`
    select insert_audit_entry(partner_id, ${action}, ${subjectType}, 'page', null, null,
                              array(select jsonb_array_elements_text(numbers)))
      from jsonb_each(${JSON.stringify(contracts)}::jsonb) as page (partner_id, numbers)`)
}

/** The partner to which a contract belongs, and how far its sandbox clock is ahead; undefined for an unknown number. */
export async function findOwnerOfContract(
  system: Queryable,
  contractNumber: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwner(system, sql`select k.partner_id from contracts k where k.contract_number = ${contractNumber}`)
}

/** The partner to which a quote belongs, and how far its sandbox clock is ahead; undefined for an unknown id. */
export async function findOwnerOfQuote(
  system: Queryable,
  quoteId: string,
): Promise<{ partnerId: Id<'partner'>; clockOffsetSeconds: number } | undefined> {
  return findOwner(system, sql`select q.partner_id from quotes q where q.quote_id = ${quoteId}`)
}

async function findOwner(system: Queryable, partner: Sql) {
  const [row] = await system.query<{ partnerId: Id<'partner'>; clockOffsetSeconds: number }>(sql`
    select partner_id as "partnerId", clock_offset_seconds::float8 as "clockOffsetSeconds" from partners
     where partner_id = (${partner})`)
  return row
}

import type { Contract, ContractStatus } from '../../contracts/contract.ts'
import type { MeterReading } from '../../contracts/meter-readings/meter-reading.ts'
import type { ContractChange } from '../../contracts/operator-feeds/feed-changes.ts'
import type { RecordedChange } from '../../contracts/operator-feeds/record-contract-change.ts'
import { type LatestReport, latestReports } from '../../contracts/supply/service-reports.store.ts'
import type { Settlement } from '../../contracts/termination/settle-contract.ts'
import type { Confirmer } from '../../partners/partner-settings.schema.ts'
import { partnersDay } from '../../partners/partners.store.ts'
import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { BroadbandProduct } from '../../quoting/packages/package.ts'
import type { ReportedStatuses } from '../../quoting/packages/service-status.ts'
import type { MoveIn } from '../../quoting/quotes/occupiers.ts'
import type { Quote, QuotedAddress, QuoteStage } from '../../quoting/quotes/quote.ts'
import { leadFirst } from '../../quoting/tenants/customers.store.ts'

/** A contract of any partner as the operator's software sees it, before decryption. */
export interface ContractRow extends Contract {
  version: number
  partnerName: string
  joiningNumber: number
  personalEncrypted: string
  agreementEncrypted: string | null
  endingEncrypted: string | null
  /** What was owed when the contract was cancelled or ended early; null for any other. */
  finalStatement: Settlement | null
  erasedAt: Date | null
  processorCustomerId: string | null
  quoteStage: QuoteStage
  address: QuotedAddress
  meter: Quote['meter']
  broadbandProducts: BroadbandProduct[]
  broadbandStartDate: IsoDate | null
  selectedInstallDate: IsoDate | null
  serviceStatuses: ReportedStatuses
  reports: Record<string, LatestReport>
  /** The day on which the household moves in. */
  moveInDate: IsoDate
  moveIn: MoveIn | null
  nextOccupierEncrypted: string | null
  /** The home's meter readings by service, in the order of the days. */
  meterReadings: Record<string, Pick<MeterReading, 'readOn' | 'register' | 'meterSerial' | 'reading'>[]>
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
  k.ended_on::text as "endedOn", k.end_reason as "endReason", k.end_set_by as "endSetBy", k.acceptance, k.price, k.document_hash as "documentHash",
  k.confirmed_by as "confirmedBy", k.confirmation_sent_at as "confirmationSentAt",
  k.agreement_encrypted as "agreementEncrypted", k.ending_encrypted as "endingEncrypted", k.final_statement as "finalStatement", k.version,
  p.name as "partnerName", c.joining_number as "joiningNumber", c.personal_encrypted as "personalEncrypted",
  c.erased_at as "erasedAt",
  c.processor_customer_id as "processorCustomerId", q.stage as "quoteStage", q.address, q.meter,
  q.broadband_products as "broadbandProducts",
  q.broadband_start_date::text as "broadbandStartDate", q.selected_install_date::text as "selectedInstallDate",
  q.service_statuses as "serviceStatuses", q.move_in as "moveIn", q.next_occupier_encrypted as "nextOccupierEncrypted",
  q.moves_in_on::text as "moveInDate",
  ${latestReports(sql`k`)} as reports,
  (select coalesce(jsonb_object_agg(m.service, m.readings), '{}')
     from (select service, jsonb_agg(jsonb_build_object('readOn', read_on, 'register', register, 'meterSerial', meter_serial,
                                                       'reading', reading) order by read_on, register) as readings
             from meter_readings where partner_id = k.partner_id and quote_id = k.quote_id
            group by service) m) as "meterReadings",
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
                    order by h.agreed_at, h.ended_on, h.contract_number)
     from contracts h where h.partner_id = k.partner_id and h.quote_id = k.quote_id) as household,
  (select jsonb_build_object('customerId', l.customer_id, 'personalEncrypted', l.personal_encrypted, 'isErased',
                             l.erased_at is not null)
     from customers l
    where l.partner_id = k.partner_id and l.quote_id = k.quote_id and l.removed_at is null
    order by ${leadFirst(sql`l`)} limit 1) as lead`

const ownContract = sql`join contracts k on k.partner_id = v.partner_id and k.contract_number = v.contract_number`

/**
 * The contract that says what the home is supplied with, whichever changed last: one in force or else one that was, of
 * somebody who is known, and the longest.
 */
const contractOfHome = sql`
  join contracts changed on changed.partner_id = v.partner_id and changed.contract_number = v.contract_number
  cross join lateral (select * from contracts each
                       where each.partner_id = changed.partner_id and each.quote_id = changed.quote_id
                       order by each.status = 'in_force' desc, each.effective_at is null,
                                (select erased_at from customers
                                  where partner_id = each.partner_id and customer_id = each.customer_id) is not null,
                                each.last_day < each.starts_on, each.last_day desc, each.starts_on, each.contract_number
                       limit 1) k`

const othersJoined = sql`
  join customers c on c.partner_id = k.partner_id and c.customer_id = k.customer_id
  join quotes q on q.partner_id = k.partner_id and q.quote_id = k.quote_id
  join partners p on p.partner_id = k.partner_id`

/** Which entries are listed: all, only the last one of each contract, or only the last one of each household. */
export type FeedSelection = 'every change' | 'contracts' | 'households'

/** Which entries are listed, and only contracts that were priced on this rate card. */
export interface FeedFilter {
  selection?: FeedSelection | undefined
  quotingToolVersionId?: string | undefined
}

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
    quotingToolVersionId,
  }: { after: string; until: string | undefined; limit: number } & FeedFilter,
): Promise<FeedRow[]> {
  return system.query<FeedRow>(sql`
    select v.position::text as position, v.version as "entryVersion", v.change, v.recorded_at as "recordedAt",
           ${contractColumns}
      from contract_versions v ${selection === 'households' ? contractOfHome : ownContract} ${othersJoined}
     where v.position > ${after}::bigint ${until === undefined ? empty : sql`and v.position <= ${until}::bigint`}
       ${selections[selection]}
       ${quotingToolVersionId === undefined ? empty : sql`and k.price ->> 'quotingToolVersionId' = ${quotingToolVersionId}`}
     order by v.position limit ${limit}`)
}

/** One contract of any partner. */
export async function findContractRow(system: Queryable, contractNumber: string): Promise<ContractRow | undefined> {
  const [row] = await system.query<ContractRow>(sql`
    select ${contractColumns} from contract_versions v ${ownContract} ${othersJoined} where v.contract_number = ${contractNumber}
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

/** What is corrected about a home; null stays as it is. */
export interface PropertyCorrection {
  mpan: string | null
  mprn: string | null
  installDate: IsoDate | null
}

/** Adds a correction; the latest value of each field counts. */
export async function insertCorrection(
  tx: Tx,
  _recorded: RecordedChange,
  { partnerId, quoteId, contractNumber }: Pick<Contract, 'partnerId' | 'quoteId' | 'contractNumber'>,
  { mpan, mprn, installDate, reason, now }: PropertyCorrection & { reason: string; now: Date },
): Promise<void> {
  await tx.query(sql`
    insert into contract_corrections (partner_id, quote_id, contract_number, mpan, mprn, install_date, reason,
                                      corrected_at)
    values (${partnerId}, ${quoteId}, ${contractNumber}, ${mpan}, ${mprn}, ${installDate}, ${reason}, ${now})`)
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
export async function countUnreported(
  system: Queryable,
  { now, limit }: { now: Date; limit: number },
): Promise<number> {
  const [row] = await system.query<{ count: number }>(sql`
    select count(*)::int as count from (
      select distinct k.quote_id, line.service_id
        from contracts k join quotes q using (partner_id, quote_id) join partners p using (partner_id)
       cross join lateral (select ${partnersDay(now)} as today) clock
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

/** A contract in force whose confirmation was not sent within a day, or was rejected. */
export interface MissingConfirmation {
  contractNumber: string
  partnerId: Id<'partner'>
  customerId: Id<'tenant'>
  effectiveAt: Date
  confirmedBy: Confirmer
  /** Whether the mail server rejected the e-mail, or took none for three days. */
  wasGivenUp: boolean
}

/**
 * From contracts `k` of all partners, those whose confirmation is missing, with what became of the e-mail: `mail`.
 * `now` is real time.
 */
export function missingConfirmation(now: Date): Sql {
  return sql`
      from contracts k join partners p using (partner_id)
     cross join lateral (select coalesce(bool_or(m.outcome in ('given_up', 'test_address')), false) as given_up from tenant_mails m
                          where m.partner_id = k.partner_id and m.contract_number = k.contract_number
                            and m.kind = 'contract_in_force') mail
     where k.status = 'in_force' and k.confirmed_by is not null and k.confirmation_sent_at is null
       and (mail.given_up or k.effective_at < ${now}::timestamptz + make_interval(secs => p.clock_offset_seconds) -
         interval '24 hours')`
}

/** Contracts of all partners whose confirmation is missing, by number, from after the given one. `now` is real time. */
export function listMissingConfirmations(
  system: Queryable,
  { now, after, limit }: { now: Date; after: string | undefined; limit: number },
): Promise<MissingConfirmation[]> {
  return system.query<MissingConfirmation>(sql`
    select k.contract_number as "contractNumber", k.partner_id as "partnerId", k.customer_id as "customerId",
           k.effective_at as "effectiveAt", k.confirmed_by as "confirmedBy", mail.given_up as "wasGivenUp"
      ${missingConfirmation(now)}
       and (${after ?? null}::text is null or k.contract_number > ${after ?? null})
     order by k.contract_number limit ${limit}`)
}

/**
 * Which meter points of these households others have too, in another home and on some of the same days: of any partner,
 * as ids of quotes with a space between.
 */
export function listSharedMeterPoints(
  db: Queryable,
  quoteIds: readonly string[],
): Promise<{ quoteId: string; service: string; others: string }[]> {
  const sharing = (service: string, meterPoint: Sql) => sql`
    select q.quote_id as "quoteId", ${service}::text as service,
           string_agg(o.quote_id, ' ' order by o.quote_id) as others
      from quotes q
      join quotes o on ${meterPoint} and o.address_uid <> q.address_uid and o.stage = 'completed'
                   and ${service}::text = any(o.services) and ${service}::text = any(q.services)
                   and o.contract_start_date <= q.contract_end_date
     where q.quote_id = any(${[...quoteIds]}::text[])
       and exists (select from contracts k
                    where k.partner_id = o.partner_id and k.quote_id = o.quote_id and k.status in ('in_force', 'ended')
                      and k.last_day >= greatest(k.starts_on, q.contract_start_date))
     group by q.partner_id, q.quote_id`
  return db.query(sql`${sharing('electricity', sql`o.mpan = q.mpan`)}
    union all ${sharing('gas', sql`o.mprn = q.mprn`)}`)
}

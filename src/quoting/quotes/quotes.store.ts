import type { Queryable, Tx } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import type { IsoDate } from '../../platform/kernel/dates.ts'
import type { FieldCipher } from '../../platform/kernel/field-encryption.ts'
import type { Id } from '../../platform/kernel/ids.ts'
import type { MeterFacts } from '../../properties/meter-facts/meter-facts.ts'
import { dayBefore } from '../broadband/broadband-checks.store.ts'
import type { BroadbandProduct } from '../packages/package.ts'
import type { Service } from '../packages/services.ts'
import type { QuotePrice } from '../pricing/price.ts'
import type { NextStep } from '../tenants/customer.ts'
import { decryptPersonal, leadFirst, mayLead } from '../tenants/customers.store.ts'
import { type Metadata, openMetadata, sealMetadata } from './metadata.ts'
import type { MoveIn } from './occupiers.ts'
import { findOverlappingQuotes, mayOverlap } from './overlaps/overlaps.store.ts'
import type { Quote, QuoteTenant } from './quote.ts'
import { openReference, referenceHashes, sealReference } from './reference.ts'
import type { Tenancy } from './tenancy.ts'

/**
 * The products that a check of the last day found for the property of the quote `q`, as a part of the statement that
 * reads the quote; null if there was no such check.
 */
function checkedProductsOf(now: Date): Sql {
  return sql`(select b.products from broadband_checks b
               where b.partner_id = q.partner_id and b.address_uid = q.address_uid and b.checked_at > ${dayBefore(now)})`
}

interface TenantRow {
  tenantId: Id<'tenant'>
  joiningNumber: number
  personalEncrypted: string
  earlySupplyRequested: boolean
  status: QuoteTenant['status']
  paymentStatus: QuoteTenant['paymentStatus']
  agreedToLead: boolean
  isErased: boolean
  mayLead: boolean
  contractStatus: QuoteTenant['contractStatus']
  replaces: QuoteTenant['replaces']
  joinsOn: QuoteTenant['joinsOn']
  leavesOn: QuoteTenant['leavesOn']
}

const returnUrlColumn = 'quotes.return_url'

/** What a quote's row holds in encrypted form. */
interface SealedText {
  quoteId: string
  referenceEncrypted: string | null
  metadataEncrypted: string | null
  returnUrlEncrypted: string | null
}

type QuoteRow = Omit<Quote, 'tenants' | 'reference' | 'metadata' | 'returnUrl' | 'overlappingQuoteIds'> &
  SealedText & { tenants: TenantRow[] }

/** Whether the terms of the quote `q` let a tenant whose tenancy ends go without a fee; null before it locks. */
const isFreeWhenTenancyEnds = sql`
  (select v.is_free_when_tenancy_ends from terms_versions v where v.version = q.terms_version)`

const quoteColumns = sql`
  q.quote_id as "quoteId", q.partner_id as "partnerId", q.stage, q.step_label as "stepLabel",
  q.reference_encrypted as "referenceEncrypted", q.metadata_encrypted as "metadataEncrypted", q.bedrooms, q.branch,
  q.sold_by as "soldBy", q.quoting_tool_version_id as "quotingToolVersionId", q.version_is_explicit as "versionIsExplicit", q.address,
  q.region, q.move_in as "moveIn",
  q.contract_start_date::text as "contractStartDate", q.contract_end_date::text as "contractEndDate",
  q.start_origin as "startOrigin", q.end_origin as "endOrigin",
  q.selected_package_ids as "selectedPackageIds", q.broadband_products as "broadbandProducts",
  q.broadband_install_dates::text[] as "broadbandInstallDates", q.broadband_start_date::text as "broadbandStartDate",
  q.selected_install_date::text as "selectedInstallDate", q.price_warnings as "priceWarnings",
  q.price, q.priced_at as "pricedAt", q.price_updates as "priceUpdates", q.expires_at as "expiresAt",
  q.prices_updated as "pricesUpdated",
  q.locked_until as "lockedUntil", q.terms_version as "termsVersion",
  ${isFreeWhenTenancyEnds} as "isFreeWhenTenancyEnds", q.service_statuses as "serviceStatuses",
  q.created_at as "createdAt", q.household_complete_at as "householdCompleteAt", q.send_emails as "sendEmails",
  q.return_url_encrypted as "returnUrlEncrypted", q.tenancy, q.meter,
  (select coalesce(json_agg(json_build_object('tenantId', c.customer_id, 'joiningNumber', c.joining_number,
            'personalEncrypted', c.personal_encrypted, 'earlySupplyRequested', c.supply_during_cancellation, 'status',
            c.status, 'paymentStatus', c.payment_status, 'agreedToLead', c.agreed_to_lead_at is not null,
            'mayLead', ${mayLead(sql`c`)}, 'isErased', c.erased_at is not null,
            'contractStatus', k.status, 'replaces', c.replaces_customer_id,
            'joinsOn', case when c.replaces_customer_id is not null then coalesce(k.starts_on, c.joins_on) end,
            'leavesOn', case when k.effective_at is not null and c.terms_accepted_at is not null then k.ended_on end)
          order by c.joining_number), '[]')
     from customers c left join lateral (
       select * from contracts k where k.partner_id = c.partner_id and k.contract_number = c.contract_number limit 1) k
       on c.contract_number is not null
    where c.quote_id = q.quote_id and c.partner_id = q.partner_id and c.removed_at is null) as tenants`

interface At {
  partnerId: Id<'partner'>
  /** The time on the partner's clock, which decides whether the locks of other quotes have ended. */
  now: Date
}

/**
 * The quote with its tenants, without overlapping quotes; undefined if this partner has no quote with that id.
 */
export function findQuote(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId }: Pick<At, 'partnerId'>,
  quoteId: Id<'quote'>,
): Promise<Quote | undefined> {
  return selectQuote(db, cipher, byId(partnerId, quoteId))
}

/** Like findQuote, with overlapping quotes. */
export async function findQuoteWithOverlaps(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, now }: At,
  quoteId: Id<'quote'>,
): Promise<Quote | undefined> {
  return (await findWithOverlaps(db, cipher, byId(partnerId, quoteId), { now, checked: sql`null` }))?.quote
}

/**
 * Like findQuoteWithOverlaps, and in the same statement also what the partner's last availability check of the property
 * found, if it still counts.
 */
export function findQuoteWithCheck(
  db: Queryable,
  cipher: FieldCipher,
  { partnerId, now }: At,
  quoteId: Id<'quote'>,
): Promise<{ quote: Quote; checkedProducts: BroadbandProduct[] } | undefined> {
  return findWithOverlaps(db, cipher, byId(partnerId, quoteId), { now, checked: checkedProductsOf(now) })
}

/** Like findQuote, but locks the quote's row until the transaction ends. */
export function findQuoteForUpdate(
  tx: Tx,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  quoteId: Id<'quote'>,
): Promise<Quote | undefined> {
  return lockThenSelect(tx, cipher, byId(partnerId, quoteId))
}

/** The quote that a customer belongs to, without overlapping quotes. */
export function findQuoteOfCustomer(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<Quote | undefined> {
  return selectQuote(db, cipher, ofCustomer(partnerId, customerId))
}

/** The ids of the quotes that overlap with this one. */
export function findOverlapsOfQuote(
  db: Queryable,
  { partnerId, quoteId }: Pick<Quote, 'partnerId' | 'quoteId'>,
  now: Date,
): Promise<Id<'quote'>[]> {
  return findOverlappingQuotes(db, byId(partnerId, quoteId), now)
}

/** The ids of the quotes that overlap with the one that a customer belongs to. */
export function findOverlapsOfCustomer(
  db: Queryable,
  { partnerId, now }: At,
  customerId: Id<'tenant'>,
): Promise<Id<'quote'>[]> {
  return findOverlappingQuotes(db, ofCustomer(partnerId, customerId), now)
}

/** Like findQuoteOfCustomer, but locks the quote as findQuoteForUpdate does. */
export function findQuoteOfCustomerForUpdate(
  tx: Tx,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  customerId: Id<'tenant'>,
): Promise<Quote | undefined> {
  return lockThenSelect(tx, cipher, ofCustomer(partnerId, customerId))
}

function byId(partnerId: Id<'partner'>, quoteId: Id<'quote'>): Sql {
  return sql`q.partner_id = ${partnerId} and q.quote_id = ${quoteId}`
}

function ofCustomer(partnerId: Id<'partner'>, customerId: Id<'tenant'>): Sql {
  return sql`q.partner_id = ${partnerId}
    and q.quote_id = (select c.quote_id from customers c where c.partner_id = ${partnerId}
                      and c.customer_id = ${customerId})`
}

/**
 * Sends two statements together: one to lock the quote and one to read it. A single statement could return outdated
 * tenants, because after waiting for a lock under READ COMMITTED, PostgreSQL re-reads only the locked row.
 */
async function lockThenSelect(tx: Tx, cipher: FieldCipher, condition: Sql): Promise<Quote | undefined> {
  const [, quote] = await Promise.all([
    tx.query(sql`select from quotes q where ${condition} for update`),
    selectQuote(tx, cipher, condition),
  ])
  return quote
}

/** Reads the quote with its overlapping quotes; if there may be any, in two statements. */
async function findWithOverlaps(
  db: Queryable,
  cipher: FieldCipher,
  condition: Sql,
  { now, checked }: { now: Date; checked: Sql },
): Promise<{ quote: Quote; checkedProducts: BroadbandProduct[] } | undefined> {
  type Row = QuoteRow & { mayOverlap: boolean; checkedProducts: BroadbandProduct[] | null }
  const [row] = await db.query<Row>(sql`
    select ${quoteColumns}, ${mayOverlap} as "mayOverlap", ${checked} as "checkedProducts" from quotes q
     where ${condition}`)
  if (row === undefined) return undefined
  const { mayOverlap: isWorthAsking, checkedProducts, ...own } = row
  const overlappingQuoteIds = isWorthAsking ? await findOverlappingQuotes(db, condition, now) : []
  return { quote: { ...readQuote(cipher, own), overlappingQuoteIds }, checkedProducts: checkedProducts ?? [] }
}

async function selectQuote(db: Queryable, cipher: FieldCipher, condition: Sql): Promise<Quote | undefined> {
  const [row] = await db.query<QuoteRow>(sql`select ${quoteColumns} from quotes q where ${condition}`)
  return row === undefined ? undefined : { ...readQuote(cipher, row), overlappingQuoteIds: [] }
}

function readQuote(cipher: FieldCipher, row: QuoteRow): Omit<Quote, 'overlappingQuoteIds'> {
  const tenants = row.tenants.map((tenant) => readTenant(cipher, tenant))
  return { ...withOpenText(cipher, row), tenants }
}

function withOpenText<Row extends SealedText>(
  cipher: FieldCipher,
  { referenceEncrypted, metadataEncrypted, returnUrlEncrypted, ...row }: Row,
) {
  return {
    ...row,
    reference: openReference(cipher, row.quoteId, referenceEncrypted),
    metadata: openMetadata(cipher, row.quoteId, metadataEncrypted),
    returnUrl:
      returnUrlEncrypted === null
        ? null
        : cipher.decrypt(returnUrlEncrypted, { column: returnUrlColumn, row: row.quoteId }).toString('utf8'),
  }
}

function readTenant(cipher: FieldCipher, row: TenantRow): QuoteTenant {
  const { personalEncrypted, ...tenant } = row
  return { ...tenant, personal: decryptPersonal(cipher, { customerId: row.tenantId, personalEncrypted }) }
}

export async function insertQuote(tx: Tx, cipher: FieldCipher, quote: Quote): Promise<void> {
  const reference = sealReference(cipher, quote)
  const metadata = sealMetadata(cipher, quote.quoteId, quote.metadata)
  const returnUrl =
    quote.returnUrl === null ? null : cipher.encrypt(quote.returnUrl, { column: returnUrlColumn, row: quote.quoteId })
  await tx.query(sql`
    insert into quotes (quote_id, partner_id, stage, step_label, reference_encrypted, reference_hash,
                        metadata_encrypted, bedrooms, branch, sold_by, quoting_tool_version_id, version_is_explicit,
      address_uid, address, region, contract_start_date, contract_end_date, start_origin, end_origin,
      selected_package_ids, price, services, priced_at, expires_at, send_emails, return_url_encrypted, tenancy,
      meter, move_in, created_at, updated_at)
    values (${quote.quoteId}, ${quote.partnerId}, ${quote.stage}, ${quote.stepLabel}, ${reference.encrypted},
            ${reference.hash}, ${metadata}, ${quote.bedrooms}, ${quote.branch}, ${quote.soldBy},
      ${quote.quotingToolVersionId}, ${quote.versionIsExplicit}, ${quote.address.addressUid},
      ${JSON.stringify(quote.address)}::jsonb,
      ${quote.region}, ${quote.contractStartDate}, ${quote.contractEndDate}, ${quote.startOrigin}, ${quote.endOrigin},
      ${quote.selectedPackageIds}, ${json(quote.price)}::json, ${servicesOf(quote.price)}, ${quote.pricedAt},
      ${quote.expiresAt}, ${quote.sendEmails}, ${returnUrl}, ${json(quote.tenancy)}::jsonb, ${json(quote.meter)}::jsonb,
      ${json(quote.moveIn)}::jsonb, ${quote.createdAt}, ${quote.createdAt})`)
}

/**
 * Writes every column of the quote that can change. The caller holds the quote's row lock. Throws for a quote as a
 * tenant sees it who takes over.
 */
export async function updateQuote(tx: Tx, quote: Quote, now: Date): Promise<void> {
  if (quote.takingOver !== undefined) throw new Error('the quote as one tenant sees it must not be stored')
  await tx.query(sql`
    update quotes set
      stage = ${quote.stage}, step_label = ${quote.stepLabel}, quoting_tool_version_id = ${quote.quotingToolVersionId},
      version_is_explicit = ${quote.versionIsExplicit}, contract_start_date = ${quote.contractStartDate},
      contract_end_date = ${quote.contractEndDate},
      start_origin = ${quote.startOrigin}, end_origin = ${quote.endOrigin},
      selected_package_ids = ${quote.selectedPackageIds},
      broadband_products = ${JSON.stringify(quote.broadbandProducts)}::jsonb,
      broadband_install_dates = ${quote.broadbandInstallDates}::date[],
      broadband_start_date = ${quote.broadbandStartDate},
      selected_install_date = ${quote.selectedInstallDate},
      price_warnings = ${JSON.stringify(quote.priceWarnings)}::jsonb,
      price = ${json(quote.price)}::json, services = ${servicesOf(quote.price)}, priced_at = ${quote.pricedAt},
      price_updates = ${JSON.stringify(quote.priceUpdates)}::jsonb,
      expires_at = ${quote.expiresAt}, prices_updated = ${quote.pricesUpdated}, locked_until = ${quote.lockedUntil},
      terms_version = ${quote.termsVersion}, household_complete_at = ${quote.householdCompleteAt},
      service_statuses = ${JSON.stringify(quote.serviceStatuses)}::jsonb, tenancy = ${json(quote.tenancy)}::jsonb,
      meter = ${json(quote.meter)}::jsonb, move_in = ${json(quote.moveIn)}::jsonb, updated_at = ${now}
    where partner_id = ${quote.partnerId} and quote_id = ${quote.quoteId}`)
}

/** What a partner keeps with a quote in its own words. What is undefined stays as it is. */
export interface OwnFields {
  metadata?: Metadata | undefined
  branch?: string | null | undefined
  soldBy?: string | null | undefined
}

/** Replaces what is given. Returns false, and changes nothing, if everyone on the quote has been erased. */
export async function updateOwnFields(
  tx: Tx,
  cipher: FieldCipher,
  { partnerId, quoteId }: Pick<Quote, 'partnerId' | 'quoteId'>,
  { metadata, branch, soldBy }: OwnFields,
  now: Date,
): Promise<boolean> {
  const rows = await tx.query(sql`
    update quotes set updated_at = ${now}
       ${metadata === undefined ? empty : sql`, metadata_encrypted = ${sealMetadata(cipher, quoteId, metadata)}`}
       ${branch === undefined ? empty : sql`, branch = ${branch}`}
       ${soldBy === undefined ? empty : sql`, sold_by = ${soldBy}`}
     where partner_id = ${partnerId} and quote_id = ${quoteId} and persons_removed_at is null
    returning 1`)
  return rows.length === 1
}

/**
 * Clears a quote's reference, metadata, return URL and next occupier, which may contain personal data, and records that everyone on
 * the quote has been erased, until somebody is added (`insertCustomers`). Its events and messages then lack the
 * reference too. The caller holds the quote's row lock.
 */
export async function clearPartnersText(
  tx: Tx,
  { partnerId, quoteId }: { partnerId: Id<'partner'>; quoteId: Id<'quote'> },
  now: Date,
): Promise<void> {
  await tx.query(sql`
    update quotes set reference_encrypted = null, reference_hash = null, metadata_encrypted = null,
      return_url_encrypted = null, next_occupier_encrypted = null, persons_removed_at = coalesce(persons_removed_at, ${now}), updated_at = ${now}
     where partner_id = ${partnerId} and quote_id = ${quoteId}`)
}

function json(value: QuotePrice | Tenancy | MeterFacts | MoveIn | null): string | null {
  return value === null ? null : JSON.stringify(value)
}

/** The services whose cost is in the price. */
function servicesOf(price: QuotePrice | null): Service[] {
  return price?.lines.map(({ type }) => type) ?? []
}

/** A quote as GET /Quotes lists it. */
export interface QuoteSummary {
  quoteId: Id<'quote'>
  stage: Quote['stage']
  stepLabel: Quote['stepLabel']
  reference: string | null
  metadata: Metadata
  bedrooms: number | null
  branch: string | null
  soldBy: string | null
  moveIn: Quote['moveIn']
  address: Quote['address']
  contractStartDate: IsoDate
  contractEndDate: IsoDate
  quotingToolVersionId: string
  leadTenantId: string | null
  primaryContact: string | null
  lockedUntil: Date | null
  expiresAt: Date
  createdAt: Date
  householdCompleteAt: Date | null
  sendEmails: boolean
  returnUrl: string | null
  tenancy: Quote['tenancy']
  isFreeWhenTenancyEnds: Quote['isFreeWhenTenancyEnds']
  meter: Quote['meter']
}

export interface QuoteFilter {
  status?: string | undefined
  reference?: string | undefined
  branch?: string | undefined
  soldBy?: string | undefined
  postCode?: string | undefined
  /** Quotes that may come to a contract once a tenant has done this. */
  waitingFor?: NextStep | undefined
  quotingToolVersionId?: string | undefined
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  /** The time on the partner's clock. A quote whose lock has ended by then is listed as open. */
  now: Date
  /** The cursor. Only quotes older than this one are listed. */
  beforeQuoteId?: string | undefined
  limit: number
}

/** `leadTenantId` of a quote `q` in a list. */
const leadOfSummary = sql`
  (select case when ${mayLead(sql`c`)} or q.stage <> 'open' and not q.has_lapsed then c.customer_id end
     from customers c where c.quote_id = q.quote_id and c.partner_id = q.partner_id and c.removed_at is null
    order by ${leadFirst(sql`c`)} limit 1)`

/**
 * The partner's newest quote with this reference that is not cancelled. Locks the reference until the transaction ends,
 * because no row is there to be locked.
 */
export async function findQuoteWithReference(
  tx: Tx,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  reference: string,
): Promise<Id<'quote'> | undefined> {
  const hashes = referenceHashes(cipher, partnerId, reference)
  const [, [row]] = await Promise.all([
    tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${hashes[0] ?? ''}, 0))`),
    tx.query<{ quoteId: Id<'quote'> }>(sql`
      select quote_id as "quoteId" from quotes
       where partner_id = ${partnerId} and reference_hash = any(${hashes}::text[]) and stage <> 'cancelled'
       order by created_at desc limit 1`),
  ])
  return row?.quoteId
}

/** The partner's quotes, newest first. */
export async function listQuotes(
  db: Queryable,
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  filter: QuoteFilter,
): Promise<QuoteSummary[]> {
  const rows = await db.query<Omit<QuoteSummary, 'reference' | 'metadata' | 'returnUrl'> & SealedText>(sql`
    select q.quote_id as "quoteId", case when q.has_lapsed then 'open' else q.stage
           end as stage, q.step_label as "stepLabel", q.reference_encrypted as "referenceEncrypted",
           q.metadata_encrypted as "metadataEncrypted", q.bedrooms, q.branch, q.sold_by as "soldBy", q.move_in as "moveIn", q.address,
           q.contract_start_date::text as "contractStartDate", q.contract_end_date::text as "contractEndDate",
           q.quoting_tool_version_id as "quotingToolVersionId", case when q.has_lapsed then q.locked_until
           else q.expires_at end as "expiresAt",
           case when q.has_lapsed then null else q.locked_until end as "lockedUntil", q.created_at as "createdAt",
           case when not q.has_lapsed then ${isFreeWhenTenancyEnds} end as "isFreeWhenTenancyEnds",
           q.household_complete_at as "householdCompleteAt", q.send_emails as "sendEmails",
           q.return_url_encrypted as "returnUrlEncrypted", q.tenancy, q.meter,
           ${leadOfSummary} as "leadTenantId",
           case when q.stage <> 'completed' then ${leadOfSummary} else (
             select c.customer_id
               from customers c join contracts k on k.partner_id = c.partner_id
                   and k.contract_number = c.contract_number
              where c.quote_id = q.quote_id and c.partner_id = q.partner_id and c.removed_at is null
                and k.status = 'in_force'
              order by c.joining_number limit 1) end as "primaryContact"
      from (select *, stage = 'active' and coalesce(locked_until <= ${filter.now}, false) as has_lapsed from quotes) q
     where q.partner_id = ${partnerId} and q.created_at > '-infinity'
       ${filter.status === undefined ? empty : sql`and (case when q.stage = 'open' or q.has_lapsed then q.step_label else q.stage end) = ${filter.status}`}
       ${filter.reference === undefined ? empty : sql`and q.reference_hash = any(${referenceHashes(cipher, partnerId, filter.reference)}::text[])`}
       ${filter.branch === undefined ? empty : sql`and q.branch = ${filter.branch}`}
       ${filter.soldBy === undefined ? empty : sql`and q.sold_by = ${filter.soldBy}`}
       ${filter.postCode === undefined ? empty : sql`and q.post_code = ${filter.postCode}`}
       ${
         filter.waitingFor === undefined
           ? empty
           : sql`and q.stage <> 'cancelled' and exists (
               select from customers c where c.quote_id = q.quote_id and c.partner_id = q.partner_id
                  and c.waits_for = ${filter.waitingFor})`
       }
       ${filter.quotingToolVersionId === undefined ? empty : sql`and q.quoting_tool_version_id = ${filter.quotingToolVersionId}`}
       ${filter.createdFrom === undefined ? empty : sql`and q.created_at >= ${filter.createdFrom}`}
       ${filter.createdBefore === undefined ? empty : sql`and q.created_at < ${filter.createdBefore}`}
       ${
         filter.beforeQuoteId === undefined
           ? empty
           : sql`
       and (q.created_at, q.quote_id) < (
         select created_at, quote_id from quotes where partner_id = ${partnerId} and quote_id = ${filter.beforeQuoteId})`
       }
     order by q.created_at desc, q.quote_id desc
     limit ${filter.limit}`)
  return rows.map((row) => withOpenText(cipher, row))
}

import type { Queryable } from '../../platform/db/database.ts'
import { empty, type Sql, sql } from '../../platform/db/sql.ts'
import { deploymentSecretNames } from '../../platform/keys/deployment-secret.ts'

/*
 * Lists every column with encrypted values, for key rotation. A test compares this list with the database schema. A
 * value is stored as the text `keyId.base64url`; for a document, as the bytes of `keyId.` and the encrypted bytes.
 */

/** A column of encrypted values. */
export interface EncryptedField {
  /** The column name that encryption binds to each value: `FieldLocation.column`. */
  location: string
  table: Sql
  column: Sql
  /** The SQL expression that identifies a row among its partner's rows, or among the deployment's rows. */
  id: Sql
  /** Whether the rows are read with access to one partner's rows only. False for what the system login alone reads. */
  isPartners: boolean
  isBytes: boolean
  /** A SQL condition that selects the rows with an encrypted value; empty if every row has one. */
  only: Sql
}

/** A value that is not encrypted with the current key. */
export interface StaleValue {
  id: string
  value: string | Buffer
}

const text = { isPartners: true, isBytes: false, only: empty }
const document = {
  isPartners: true,
  isBytes: true,
  only: empty,
  table: sql`contract_documents`,
  id: sql`contract_number`,
}
const customer = { ...text, table: sql`customers`, id: sql`customer_id` }
const contract = { ...text, table: sql`contracts`, id: sql`contract_number` }
const ofDeployment = { isPartners: false, isBytes: false, only: empty }

export const encryptedFields: readonly EncryptedField[] = [
  {
    ...ofDeployment,
    location: 'deployment_settings.value',
    table: sql`deployment_settings`,
    column: sql`value`,
    id: sql`name`,
    only: sql`and name = any(${[...deploymentSecretNames]}::text[])`,
  },
  {
    ...ofDeployment,
    location: 'key_ring.secret',
    table: sql`key_ring`,
    column: sql`secret_encrypted`,
    id: sql`kind || '/' || key_id`,
  },
  {
    ...ofDeployment,
    location: 'program_sessions.token',
    table: sql`program_sessions`,
    column: sql`token_encrypted`,
    id: sql`session_hash`,
  },
  {
    ...ofDeployment,
    location: 'partners.contact_email',
    table: sql`partners`,
    column: sql`contact_email_encrypted`,
    id: sql`partner_id`,
    only: sql`and contact_email_encrypted is not null`,
  },
  {
    ...ofDeployment,
    location: 'pending_sign_ins.content',
    table: sql`pending_sign_ins`,
    column: sql`content_encrypted`,
    id: sql`secret_hash`,
  },
  { ...text, location: 'people.details', table: sql`people`, column: sql`details_encrypted`, id: sql`person_id` },
  {
    ...text,
    location: 'quotes.reference',
    table: sql`quotes`,
    column: sql`reference_encrypted`,
    id: sql`quote_id`,
  },
  { ...text, location: 'quotes.metadata', table: sql`quotes`, column: sql`metadata_encrypted`, id: sql`quote_id` },
  { ...text, location: 'quotes.return_url', table: sql`quotes`, column: sql`return_url_encrypted`, id: sql`quote_id` },
  {
    ...text,
    location: 'quotes.next_occupier',
    table: sql`quotes`,
    column: sql`next_occupier_encrypted`,
    id: sql`quote_id`,
  },
  { ...customer, location: 'customers.personal', column: sql`personal_encrypted` },
  { ...customer, location: 'customers.psr', column: sql`psr_encrypted` },
  { ...contract, location: 'customers.acceptance_evidence', column: sql`evidence_encrypted` },
  {
    ...text,
    location: 'previewed_terms.content',
    table: sql`previewed_terms`,
    column: sql`content_encrypted`,
    id: sql`preview_id`,
  },
  {
    ...contract,
    location: 'contracts.agreement',
    column: sql`agreement_encrypted`,
    only: sql`and agreement_encrypted is not null`,
  },
  {
    ...contract,
    location: 'contracts.ending',
    column: sql`ending_encrypted`,
    only: sql`and ending_encrypted is not null`,
  },
  { ...customer, location: 'end_requests.details', table: sql`end_requests`, column: sql`details_encrypted` },
  { ...customer, location: 'customers.last_payment_error', column: sql`last_payment_error_encrypted` },
  {
    ...text,
    location: 'payment_entries.failure',
    table: sql`payment_entries`,
    column: sql`failure_encrypted`,
    id: sql`entry_id`,
  },
  {
    ...text,
    location: 'payment_entries.waiver',
    table: sql`payment_entries`,
    column: sql`waiver_encrypted`,
    id: sql`entry_id`,
  },
  {
    ...text,
    location: 'setup_intents.card',
    table: sql`setup_intents`,
    column: sql`card_encrypted`,
    id: sql`setup_intent_id`,
  },
  { ...document, location: 'contract_documents.html', column: sql`html_encrypted` },
  { ...document, location: 'contract_documents.pdf', column: sql`pdf_encrypted` },
  {
    ...text,
    location: 'tenant_mails.content',
    table: sql`tenant_mails`,
    column: sql`content_encrypted`,
    id: sql`mail_id`,
  },
  {
    ...text,
    location: 'death_reports.details',
    table: sql`death_reports`,
    column: sql`details_encrypted`,
    id: sql`death_report_id`,
  },
  ...(['text', 'answer'] as const).map((name) => ({
    ...text,
    location: `commission_queries.${name}`,
    table: sql`commission_queries`,
    column: name === 'text' ? sql`text_encrypted` : sql`answer_encrypted`,
    id: sql`query_id`,
  })),
  {
    ...text,
    location: 'imports.draft',
    table: sql`imports`,
    column: sql`draft_encrypted`,
    id: sql`import_id`,
    only: sql`and draft_encrypted is not null`,
  },
  {
    ...text,
    location: 'import_rows.content',
    table: sql`import_rows`,
    column: sql`content_encrypted`,
    id: sql`import_id || '/' || row_number`,
    only: sql`and content_encrypted is not null`,
  },
  {
    ...text,
    location: 'webhooks.secret',
    table: sql`webhook_secrets`,
    column: sql`secret_encrypted`,
    // Must match the row names in `secret.ts`, where the first secret of a webhook has no number.
    id: sql`case when secret_number = 1 then webhook_id else webhook_id || '/' || secret_number end`,
  },
  {
    ...text,
    location: 'idempotency_keys.response',
    table: sql`idempotency_keys`,
    column: sql`response_encrypted`,
    id: sql`key`,
  },
]

/** The name of the row to which encryption binds a value (`FieldLocation.row`). */
export function encryptionRowName(field: EncryptedField, partnerId: string | null, id: string): string {
  return field.location === 'idempotency_keys.response' ? `${partnerId}/${id}` : id
}

/**
 * The key id, with which an encrypted value begins. Reads only the start of the value, because encrypted documents are
 * large.
 */
function keyIdOf({ column, isBytes }: EncryptedField): Sql {
  return isBytes
    ? sql`encode(substring(${column} from 1 for position('.'::bytea in substring(${column} from 1 for 40)) - 1), 'escape')`
    : sql`split_part(left(${column}, 40), '.', 1)`
}

function ofPartner(partnerId: string | null): Sql {
  return partnerId === null ? empty : sql`and partner_id = ${partnerId}`
}

/**
 * The next values, in id order, that are not encrypted with the current key. `partnerId` is null for the deployment's
 * own rows.
 */
export function listStaleValues(
  db: Queryable,
  field: EncryptedField,
  partnerId: string | null,
  { keyId, after, limit }: { keyId: string; after: string; limit: number },
): Promise<StaleValue[]> {
  return db.query<StaleValue>(sql`
    select ${field.id} as id, ${field.column} as value from ${field.table}
     where ${field.id} > ${after} and ${field.column} is not null
       and ${keyIdOf(field)} <> ${keyId} ${field.only} ${ofPartner(partnerId)}
     order by ${field.id} limit ${limit}`)
}

/** Replaces values, except those that have changed since they were read. Returns how many it replaced. */
export async function replaceUnchangedValues(
  db: Queryable,
  field: EncryptedField,
  partnerId: string | null,
  changes: readonly { id: string; before: StaleValue['value']; after: StaleValue['value'] }[],
): Promise<number> {
  const { table, column, id, isBytes } = field
  const values = isBytes ? sql`bytea[]` : sql`text[]`
  const rows = await db.query(sql`
    update ${table} set ${column} = change.after
      from unnest(${changes.map((change) => change.id)}::text[], ${changes.map((change) => change.before)}::${values},
                  ${changes.map((change) => change.after)}::${values}) as change (row_id, before, after)
     where ${id} = change.row_id and ${column} = change.before ${ofPartner(partnerId)}
    returning 1`)
  return rows.length
}

/** Counts the values encrypted with each key. */
export function countValuesByKey(
  db: Queryable,
  field: EncryptedField,
  partnerId: string | null,
): Promise<{ keyId: string; values: number }[]> {
  return db.query(sql`
    select ${keyIdOf(field)} as "keyId", count(*)::int as values from ${field.table}
     where ${field.column} is not null ${field.only} ${ofPartner(partnerId)} group by 1`)
}

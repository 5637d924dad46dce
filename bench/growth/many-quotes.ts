import type { Pool, PoolClient } from 'pg'
import { emailHash } from '../../src/platform/kernel/email.ts'
import type { FieldCipher } from '../../src/platform/kernel/field-encryption.ts'
import type { Id } from '../../src/platform/kernel/ids.ts'
import { phoneHash } from '../../src/platform/kernel/phone.ts'
import { referenceHash, sealReference } from '../../src/quoting/quotes/reference.ts'
import { withoutIndexes } from '../without-indexes.ts'

/** A quote whose encrypted fields can be read, so that a call can return it. */
export interface ReadableQuote {
  quoteId: Id<'quote'>
  email: string
  phone: string
  reference: string
}

/** What is stored of a readable quote and its tenant. */
interface SealedFields {
  personal: string
  emailHash: string
  phoneHash: string
  reference: string | null
  referenceHash: string
}

const otherPartners = 19
/** Of ten quotes, so many belong to the first partner. */
const ofFirstPartner = 6
const days = 365
const batchSize = 25_000

/**
 * Copies the only quote until there are `count`, one tenant each, made over a year at 20 partners, of which one has 60
 * %. The encrypted fields of `readable` of that partner's quotes, spread over the year, are real; the others have
 * hashes that nobody looks for, and no reference that a list would show. Skips triggers and foreign keys, and makes the
 * indexes at the end.
 */
export async function copyQuote(
  pool: Pool,
  cipher: FieldCipher,
  { count, readable }: { count: number; readable: number },
): Promise<ReadableQuote[]> {
  const client = await pool.connect()
  try {
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set statement_timeout = 0; set maintenance_work_mem = '1GB'`,
    )
    const { rows } = await client.query(
      'select quote_id as "quoteId", customer_id as "customerId", partner_id as "partnerId" from customers',
    )
    const [template] = rows
    if (rows.length !== 1) throw new Error('there must be one tenant of one quote to copy')
    await client.query(
      `insert into partners (partner_id, name)
       select 'partner_' || lpad(n::text, 26, '0'), 'Partner ' || n from generate_series(0, ${otherPartners - 1}) n`,
    )
    const every = Math.max(1, Math.floor((count * ofFirstPartner) / 10 / readable))
    const found: ReadableQuote[] = []
    const insertQuotes = await copyStatement(client, 'quotes', {
      quote_id: `'quote_' || n.id`,
      partner_id: 'n.partner_id',
      reference_encrypted: 'r.reference',
      reference_hash: `coalesce(r."referenceHash", left(encode(sha256(('r' || n.n)::bytea), 'base64'), 43))`,
      price: `replace(t.price::text, '${template.customerId}', 'tenant_' || n.id)::json`,
      created_at: 'n.at',
      updated_at: 'n.at',
      priced_at: 'n.at',
      expires_at: `case when r.n is null then n.at + interval '14 days' else now() + interval '14 days' end`,
      persons_removed_at: `case when r.n is null and n.at < now() - interval '104 days'
        then n.at + interval '104 days' end`,
    })
    const insertCustomers = await copyStatement(client, 'customers', {
      customer_id: `'tenant_' || n.id`,
      quote_id: `'quote_' || n.id`,
      partner_id: 'n.partner_id',
      personal_encrypted: 'coalesce(r.personal, t.personal_encrypted)',
      email_hash: `coalesce(r."emailHash", left(encode(sha256(('e' || n.n)::bytea), 'base64'), 43))`,
      phone_hash: `coalesce(r."phoneHash", left(encode(sha256(('p' || n.n)::bytea), 'base64'), 43))`,
      created_at: 'n.at',
      updated_at: 'n.at',
    })
    await withoutIndexes(client, ['quotes', 'customers'], async () => {
      for (let made = 0; made < count; made += batchSize) {
        const last = Math.min(count, made + batchSize)
        const sealed: ({ n: number } & SealedFields)[] = []
        for (let n = Math.ceil((made + 1) / every) * every; n <= last; n += every) {
          // The number of a quote of the first partner: see `partner_id` below.
          const number = n - (n % 10)
          if (number <= made || found.length >= readable || sealed.some((each) => each.n === number)) continue
          const quote = readableQuote(number)
          found.push(quote)
          sealed.push({ n: number, ...seal(cipher, template.partnerId, quote) })
        }
        const given = [JSON.stringify(sealed), made + 1, last, count, template.partnerId]
        await client.query('begin')
        await client.query({ ...insertQuotes, values: [...given, template.quoteId] })
        await client.query({ ...insertCustomers, values: [...given, template.customerId] })
        await client.query('commit')
      }
    })
    await client.query('vacuum analyze quotes, customers')
    await client.query('checkpoint')
    return found
  } finally {
    // Closes the connection, because its settings must not affect other users of the pool.
    client.release(true)
  }
}

/** The suffix of the ids of copy `n`. It sorts before every new id. */
export function suffixOfCopy(n: number): string {
  return `01h${String(n).padStart(23, '0')}`
}

async function copyStatement(
  client: PoolClient,
  table: 'quotes' | 'customers',
  values: Record<string, string>,
): Promise<{ text: string }> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attgenerated = ''`,
    [table],
  )
  const columns = rows.map(({ name }) => `"${name}"`).join(', ')
  return {
    text: `
      insert into ${table} (${columns})
      select ${rows.map(({ name }) => values[name] ?? `t."${name}"`).join(', ')}
        from ${table} t, (select n, '01h' || lpad(n::text, 23, '0') as id,
          now() - (1 - n / $4::float8) * interval '${days} days' as at,
                                 case when n % 10 < ${ofFirstPartner} then $5::text
                                      else 'partner_' || lpad((n / 10 % ${otherPartners})::text, 26,
                                        '0') end as partner_id
                            from generate_series($2::int, $3::int) n) n
        left join jsonb_to_recordset($1::jsonb) as r (n int, personal text, "emailHash" text, "phoneHash" text,
          reference text, "referenceHash" text)
               on r.n = n.n
       where t.${table === 'quotes' ? 'quote_id' : 'customer_id'} = $6`,
  }
}

function readableQuote(n: number): ReadableQuote {
  return {
    quoteId: `quote_${suffixOfCopy(n)}`,
    email: `tenant${n}@example.com`,
    phone: `+447700${String(n % 1_000_000).padStart(6, '0')}`,
    reference: `order ${n}`,
  }
}

function seal(
  cipher: FieldCipher,
  partnerId: Id<'partner'>,
  { quoteId, email, phone, reference }: ReadableQuote,
): SealedFields {
  const person = { firstName: 'Alex', lastName: 'Morgan', email, phone, dateOfBirth: '1999-05-17' }
  const row = quoteId.replace('quote_', 'tenant_')
  return {
    personal: cipher.encrypt(JSON.stringify(person), { column: 'customers.personal', row }),
    emailHash: emailHash(cipher, email),
    phoneHash: phoneHash(cipher, phone),
    reference: sealReference(cipher, { partnerId, quoteId, reference }).encrypted,
    referenceHash: referenceHash(cipher, partnerId, reference),
  }
}

import type { Pool, PoolClient } from 'pg'

const otherPartners = 19
/** Of ten households, so many belong to the first partner. */
const ofFirstPartner = 6
const days = 365
const batchSize = 25_000

/** The household that is copied. */
interface Template {
  quoteId: string
  customerId: string
  partnerId: string
  contractNumber: string
}

/**
 * Copies the only household, one tenant who has signed, until there are `count`, made over a year at 20 partners, of
 * which one has 60 %: its rows in every table, with ids of their own. Nobody can read the copies' encrypted fields, which
 * belong to the row that was copied. Skips triggers and foreign keys, and makes the indexes that no constraint needs at
 * the end: faster than row by row.
 */
export async function copyHousehold(pool: Pool, count: number): Promise<void> {
  const client = await pool.connect()
  try {
    await client.query(
      `set session_replication_role = replica; set synchronous_commit = off; set statement_timeout = 0; set maintenance_work_mem = '1GB'`,
    )
    const { rows } = await client.query<Template>(
      `select quote_id as "quoteId", customer_id as "customerId", partner_id as "partnerId",
              contract_number as "contractNumber" from customers`,
    )
    const [template] = rows
    if (template === undefined || rows.length > 1) throw new Error('there must be one tenant of one quote to copy')
    await client.query(
      `insert into partners (partner_id, name)
       select 'partner_' || lpad(n::text, 26, '0'), 'Partner ' || n from generate_series(0, ${otherPartners - 1}) n`,
    )
    const tables = await tablesOf(client)
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
         from pg_index where indrelid = any($1::regclass[])
          and not exists (select from pg_constraint where conindid = indexrelid)`,
      [tables],
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    const statements: string[] = []
    for (const table of tables) statements.push(await copyStatement(client, table))
    for (let made = 0; made < count; made += batchSize) {
      const copies = [made + 1, Math.min(count, made + batchSize), count, ...Object.values(template)]
      await client.query('begin')
      for (const statement of statements) await client.query(statement, copies)
      await client.query('commit')
    }
    for (const { definition } of indexes) await client.query(definition)
    await client.query(`vacuum analyze ${tables.join(', ')}`)
    await client.query('checkpoint')
  } finally {
    // Closes the connection, because its settings must not affect other users of the pool.
    client.release(true)
  }
}

/**
 * The tables with rows of a household that belong to a partner, but for those that are split by time, and those from
 * which feeds read what they decrypt.
 */
async function tablesOf(client: PoolClient): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select c.relname as name from pg_class c
      where c.relkind = 'r' and not c.relispartition and c.relnamespace = 'public'::regnamespace
        and c.relname not in ('contract_versions', 'psr_entries')
        and exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'partner_id')
        and exists (select from pg_attribute a
                     where a.attrelid = c.oid and a.attname in ('quote_id', 'customer_id', 'contract_number'))
      order by 1`,
  )
  return rows.map(({ name }) => name)
}

/**
 * Copies a household's rows of a table as copies $1 to $2 of $3. $4 to $7 are the template's ids. The ten characters
 * of an id that say its time become the number of the copy, so that rows of several tables still name each other.
 */
async function copyStatement(client: PoolClient, table: string): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attgenerated = '' and attidentity = ''`,
    [table],
  )
  const names = rows.map(({ name }) => name)
  const hashed = (letter: string) => `left(encode(sha256(('${letter}' || n.n)::bytea), 'base64'), 43)`
  const isDated = table === 'quotes' || table === 'customers'
  const own: Readonly<Record<string, string>> = {
    ...{ reference_hash: hashed('r'), email_hash: hashed('e'), phone_hash: hashed('p') },
    ...(table === 'tenant_mails' && { outcome: `'sent'`, next_attempt_at: 'null', ended_at: 'c.created_at' }),
    ...(isDated && { created_at: 'n.at', updated_at: 'n.at' }),
  }
  const ofTemplate = [
    ['quote_id', '$4'],
    ['customer_id', '$5'],
    ['contract_number', '$7'],
  ].filter(([name = '']) => names.includes(name))
  const replaced = [
    ['\\m((?!partner)[a-z]+_)[0-9a-hjkmnp-tv-z]{10}([0-9a-hjkmnp-tv-z]{16})\\M', "'\\1' || n.prefix || '\\2'"],
    // The processor's.
    ['\\m((?:seti|pi|pm|cus)_[0-9A-Za-z]+)\\M', "'\\1' || n.prefix"],
  ].reduce(
    (text, [pattern = '', by = '']) => `regexp_replace(${text}, '${pattern}', ${by}, 'g')`,
    'replace(replace(to_jsonb(t)::text, $6, n.partner_id), $7, n.contract_number)',
  )
  return `
    insert into ${table} (${names.map((name) => `"${name}"`).join(', ')})
    select ${names.map((name) => own[name] ?? `c."${name}"`).join(', ')}
      from (select n, lpad(n::text, 10, '0') as prefix,
                   regexp_replace(lpad(n::text, 12, '0'), '(.{4})(.{4})(.{4})', '\\1-\\2-\\3') as contract_number,
                   now() - (1 - n / $3::float8) * interval '${days} days' as at,
                   case when n % 10 < ${ofFirstPartner} then $6::text
                        else 'partner_' || lpad((n / 10 % ${otherPartners})::text, 26, '0') end as partner_id
              from generate_series($1::int, $2::int) n) n,
           ${table} t cross join lateral jsonb_populate_record(null::${table}, ${replaced}::jsonb) c
     where ($4::text, $5::text, $7::text) is not null
       and (${ofTemplate.map(([name, parameter]) => `t.${name} = ${parameter}`).join(' or ')})`
}

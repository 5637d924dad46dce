import type { Pool, PoolClient } from 'pg'

const otherPartners = 19
/** Of ten quotes, so many belong to the first partner. */
const ofFirstPartner = 6
const days = 365
const batchSize = 25_000

/**
 * Copies the only quote until there are `count`, one tenant each, made over a year at 20 partners, of which one has 60
 * %. Nobody can read the copies' encrypted fields, which belong to the row that was copied. Skips triggers and foreign
 * keys, and makes the indexes that no constraint needs at the end: faster than row by row.
 */
export async function copyQuote(pool: Pool, count: number): Promise<void> {
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
    const dated = { quote_id: `'quote_' || n.id`, partner_id: 'n.partner_id', created_at: 'n.at', updated_at: 'n.at' }
    const hashed = (letter: string) => `left(encode(sha256(('${letter}' || n.n)::bytea), 'base64'), 43)`
    const insertQuotes = await copyStatement(client, 'quotes', {
      ...dated,
      reference_hash: hashed('r'),
      price: `replace(t.price::text, '${template.customerId}', 'tenant_' || n.id)::json`,
      priced_at: 'n.at',
      expires_at: `n.at + interval '14 days'`,
      persons_removed_at: `case when n.at < now() - interval '104 days' then n.at + interval '104 days' end`,
    })
    const insertCustomers = await copyStatement(client, 'customers', {
      ...dated,
      customer_id: `'tenant_' || n.id`,
      email_hash: hashed('e'),
      phone_hash: hashed('p'),
    })
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(
      `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition
         from pg_index where indrelid in ('quotes'::regclass, 'customers'::regclass)
          and not exists (select from pg_constraint where conindid = indexrelid)`,
    )
    for (const { name } of indexes) await client.query(`drop index ${name}`)
    for (let made = 0; made < count; made += batchSize) {
      const copies = [made + 1, Math.min(count, made + batchSize), count, template.partnerId]
      await client.query('begin')
      await client.query(insertQuotes, [...copies, template.quoteId])
      await client.query(insertCustomers, [...copies, template.customerId])
      await client.query('commit')
    }
    for (const { definition } of indexes) await client.query(definition)
    await client.query('vacuum analyze quotes, customers')
    await client.query('checkpoint')
  } finally {
    // Closes the connection, because its settings must not affect other users of the pool.
    client.release(true)
  }
}

/** Copies one row of the table as copies $1 to $2 of $3, for the first partner ($4) or another. $5 is the row's id. */
async function copyStatement(
  client: PoolClient,
  table: 'quotes' | 'customers',
  values: Record<string, string>,
): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped
       and attgenerated = ''`,
    [table],
  )
  return `
    insert into ${table} (${rows.map(({ name }) => `"${name}"`).join(', ')})
    select ${rows.map(({ name }) => values[name] ?? `t."${name}"`).join(', ')}
      from ${table} t,
           (select n, '01h' || lpad(n::text, 23, '0') as id,
                   now() - (1 - n / $3::float8) * interval '${days} days' as at,
                   case when n % 10 < ${ofFirstPartner} then $4::text
                        else 'partner_' || lpad((n / 10 % ${otherPartners})::text, 26, '0') end as partner_id
              from generate_series($1::int, $2::int) n) n
     where t.${table === 'quotes' ? 'quote_id' : 'customer_id'} = $5`
}

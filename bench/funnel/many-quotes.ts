import type { Pool } from 'pg'

const partners = 20
const days = 366
const batchSize = 20_000

/**
 * Copies the only completed household until there are `count` quotes, spread evenly over partners and days: all are priced, six in ten have a tenant with
 * details, four a card, and two a contract in force. Skips triggers and foreign keys, because the rows that they check are copied too.
 */
export async function copyHousehold(pool: Pool, count: number): Promise<{ partners: number }> {
  const client = await pool.connect()
  try {
    await client.query(
      'set session_replication_role = replica; set synchronous_commit = off; set statement_timeout = 0',
    )
    const { rows } = await client.query('select quote_id, customer_id, contract_number from contracts')
    const [template] = rows
    if (template === undefined) throw new Error('there is no household to copy')
    await client.query(
      `insert into partners (partner_id, name)
       select 'partner_' || lpad(n::text, 26, '0'), 'Partner ' || n from generate_series(1, ${partners}) n`,
    )
    for (let made = 0; made < count; made += batchSize) {
      const numbers = `(select n, lpad(n::text, 26, '0') as id, 'partner_' || lpad((1 + n % ${partners})::text, 26, '0') as partner_id,
          now() - (n / ${partners} % ${days}) * interval '1 day' as at from generate_series(${made + 1}, ${Math.min(count, made + batchSize)}) n)`
      await client.query('begin')
      await client.query(
        `insert into quotes select (jsonb_populate_record(t, jsonb_build_object('quote_id', 'quote_' || n.id, 'partner_id', n.partner_id,
             'created_at', n.at, 'stage', case when n.n % 10 < 2 then 'completed' else 'open' end))).*
           from quotes t, ${numbers} n where t.quote_id = '${template.quote_id}'`,
      )
      await client.query(
        `insert into customers select (jsonb_populate_record(t, jsonb_build_object('customer_id', 'tenant_' || n.id, 'quote_id', 'quote_' || n.id,
             'partner_id', n.partner_id, 'contract_number', null, 'email_hash', n.id,
             'payment_status', case when n.n % 10 < 4 then 'ready' else 'not_started' end))).*
           from customers t, ${numbers} n where t.customer_id = '${template.customer_id}' and n.n % 10 < 6`,
      )
      await client.query(
        `insert into contracts select (jsonb_populate_record(t, jsonb_build_object('contract_number', n.id, 'customer_id', 'tenant_' || n.id,
             'quote_id', 'quote_' || n.id, 'partner_id', n.partner_id, 'agreement_encrypted', null, 'evidence_encrypted', null))).*
           from contracts t, ${numbers} n where t.contract_number = '${template.contract_number}' and n.n % 10 < 2`,
      )
      await client.query('commit')
    }
    await client.query('vacuum analyze quotes, customers, contracts')
    return { partners }
  } finally {
    client.release(true)
  }
}

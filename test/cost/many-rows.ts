import { Client } from 'pg'

/**
 * The tables that grow with sales. Documents are left out, because they are large and found by their key only. So are
 * the versions of contracts: the feed would return the copies, whose content is encrypted for other keys.
 */
const growingTables = [
  'audit_log',
  'availability_requests',
  'contracts',
  'customers',
  'delivery_history',
  'delivery_queue',
  'events',
  'payment_entries',
  'payment_reports',
  'quotes',
  'service_reports',
  'setup_intents',
  'previewed_terms',
] as const

/** Columns that are not keys although their names end like those of keys, and keys that all copies share. */
const sharedColumns = ['partner_id', 'webhook_id', 'quoting_tool_version_id', 'service_id', 'transaction_id']

/** Columns with keys whose names do not end in `_id` or `_hash`. */
const otherKeys = ['contract_number', 'uid', 'address_uid', 'fee_for']

/**
 * Copies the rows of each growing table until it has at least `count`, as if the same journeys had been taken again and
 * again before: each copy has keys, hashes and numbers of its own, and copies that belong together refer to each other.
 * Copies are older than what was copied. Rows can be copied twice, `few` first. Without `analyze`, PostgreSQL learns
 * nothing of them. Returns the tables.
 */
export async function growTables(
  connectionString: string,
  count: number,
  { copies, analyze }: { copies: 'few' | 'many'; analyze: boolean },
): Promise<ReadonlySet<string>> {
  const client = new Client({ connectionString })
  await client.connect()
  try {
    // Skips triggers and foreign keys, because the rows that they check are copied too.
    await client.query('set session_replication_role = replica; set synchronous_commit = off')
    // How much lower the numbers of the next copy begin.
    const numbers = copies === 'few' ? 1_000 : 1_000_000_000
    for (const table of growingTables) await copyRows(client, table, { count, numbers })
    if (analyze) await client.query(`vacuum analyze ${growingTables.join(', ')}`)
  } finally {
    await client.end()
  }
  return new Set(growingTables)
}

async function copyRows(
  client: Client,
  table: string,
  { count, numbers }: { count: number; numbers: number },
): Promise<void> {
  const { rows: columns } = await client.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, null) as type from pg_attribute
      where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = '' order by attnum`,
    [table],
  )
  // The meter leaves room on every page, which would make the table ten times as large.
  await client.query(
    `do $$ declare part regclass; begin
       for part in select relid from pg_partition_tree('${table}')
         where isleaf loop execute format('alter table %s reset (fillfactor)', part); end loop;
     end $$`,
  )
  const { rows } = await client.query(`select count(*)::int as count from ${table}`)
  const copies = Math.ceil(count / rows[0].count)
  if (!Number.isFinite(copies)) throw new Error(`the journey leaves no row in ${table} to copy`)
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map(({ name, type }) => valueOfCopy(name, type, numbers)).join(', ')
  await client.query(
    `insert into ${table} (${names}) overriding system value select ${values}
     from ${table}, generate_series(1, ${copies}) as copy`,
  )
}

function valueOfCopy(name: string, type: string, numbers: number): string {
  const column = `"${name}"`
  const isKey = otherKeys.includes(name) || (/_(id|hash)$/.test(name) && !sharedColumns.includes(name))
  // An id keeps its prefix and its ten digits of time.
  const replaced = name === 'contract_number' ? 10 : 16
  if (isKey && type === 'text')
    return `left(${column}, -${replaced}) || right(md5(${column} || copy || ${numbers}), ${replaced})`
  if (type === 'bigint' && /(position|_number)$/.test(name)) return `${column} - copy::bigint * ${numbers}`
  // No copy is due for an e-mail: it could not be written.
  if (name === 'send_emails') return 'false'
  if (name === 'declined_attempt' || name === 'pages_opened_at') return 'null'
  if (name === 'updated_at' || name === 'erased_at') return `${column} - interval '60 days'`
  if (name === 'due_on')
    return `due_on + case status when 'planned' then interval '9 years' else interval '-60 days' end`
  if (name === 'occurred_at') return `${column} - make_interval(hours => copy)`
  // Encrypted texts are bound to the key of their row, so a copy cannot be read. Lists of quotes show references and
  // metadata.
  if (name.startsWith('reference_') || name === 'metadata_encrypted') return 'null'
  return name.endsWith('_encrypted') && type === 'text' ? `left(${column}, 40)` : column
}

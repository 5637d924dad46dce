import type { Client } from 'pg'

/** A table with the trigger `audit`, whose arguments say what its entries contain. */
interface AuditedTable {
  schema: string
  name: string
  /** The kind of row, the column of its id, then the columns that can change without an entry. */
  settings: string[]
  /** In the order of their names. */
  columns: { name: string; isComparable: boolean }[]
}

/**
 * Gives each audited table a trigger function that names its columns. The function in the migrations, `audit_change`, finds them out for every row,
 * by turning the row into JSON, which costs more than writing it. Call this after every migration, so that new columns are compared
 * too. The entries are the same.
 */
export async function compileAuditTriggers(client: Client): Promise<void> {
  const { rows } = await client.query<AuditedTable>(`
    select n.nspname as schema, c.relname as name,
           trim_array(string_to_array(encode(t.tgargs, 'escape'), '\\000'), 1) as settings,
           (select json_agg(json_build_object('name', attname, 'isComparable', atttypid <> 'json'::regtype) order by attname)
              from pg_attribute where attrelid = c.oid and attnum > 0 and not attisdropped) as columns
      from pg_trigger t join pg_class c on c.oid = t.tgrelid join pg_namespace n on n.oid = c.relnamespace
     where t.tgname = 'audit' and not t.tgisinternal`)
  await client.query(rows.map((table) => triggerOf(client, table)).join('\n'))
}

function triggerOf(client: Client, { schema, name, settings, columns }: AuditedTable): string {
  const { escapeIdentifier: identifier, escapeLiteral: literal } = client
  const [subjectType = '', idColumn = '', ...unaudited] = settings
  const table = `${identifier(schema)}.${identifier(name)}`
  const compiled = `audit.${identifier(`change_of_${name}`)}`
  const changes = columns
    .filter((column) => !unaudited.includes(column.name))
    .map((column) => {
      const value = (row: string) => `${row}.${identifier(column.name)}${column.isComparable ? '' : '::text'}`
      const field = literal(column.name.replace(/_encrypted$/, ''))
      return `case when ${value('new')} is distinct from ${value('old')} then ${field} end`
    })
  const entry = (row: string, action: string) => {
    const has = (column: string) => columns.some((each) => each.name === column)
    const given = (column: string) => (has(column) ? `${row}.${column}` : 'null')
    const values = [
      given('partner_id'),
      action,
      literal(subjectType),
      `${row}.${identifier(idColumn)}::text`,
      given('quote_id'),
      given('customer_id'),
    ]
    return `perform public.insert_audit_entry(${[...values, 'changed'].join(', ')});`
  }
  // Without a row before or after the change, all columns of `old` or `new` are null.
  return `
    create or replace function ${compiled}() returns trigger
    language plpgsql as $function$
    declare
      changed text[] := array_remove(array[${changes.join(', ')}], null);
    begin
      if tg_op = 'DELETE' then
        ${entry('old', `'removed'`)}
      elsif tg_op = 'INSERT' or changed <> '{}' then
        ${entry('new', `case tg_op when 'INSERT' then 'created' else 'changed' end`)}
      end if;
      return null;
    end $function$;
    create or replace trigger audit after insert or update or delete on ${table}
      for each row execute function ${compiled}(${settings.map((setting) => literal(setting)).join(', ')});`
}

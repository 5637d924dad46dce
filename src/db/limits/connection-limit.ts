import { withClient } from '../with-client.ts'

/** The most connections that logins other than superusers may open at a time: `max_connections` less what PostgreSQL reserves. */
export async function readConnectionLimit(connectionString: string): Promise<number> {
  const { rows } = await withClient(connectionString, (client) =>
    client.query<{ limit: number }>(
      `select sum(case name when 'max_connections' then setting::int else -setting::int end)::int as limit from pg_settings
        where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
    ),
  )
  const [found] = rows
  if (found === undefined) throw new Error('PostgreSQL returned no max_connections')
  return found.limit
}

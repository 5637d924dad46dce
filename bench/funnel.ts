import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { countFunnel } from '../src/domain/reports/count-funnel.ts'
import { connectPartner } from '../test/support/client.ts'
import { openDatabases } from '../test/support/databases.ts'
import { connectOperator } from '../test/support/operator.ts'
import { createCompletedQuote } from '../test/support/quote-fixtures.ts'
import { credentials, findFreePort, startService } from './child-service.ts'
import { compareInserts } from './funnel/compare-inserts.ts'
import { copyHousehold } from './funnel/many-quotes.ts'
import { type FunnelFigures, reportFunnel } from './funnel/report.ts'
import { percentile } from './percentile.ts'
import { beginRun } from './results.ts'

/*
 * `npm run bench:funnel`: how long the funnel takes to read, compared with reading its rows and nothing else and with counting the quotes of the same days
 * in one statement; how long a count takes; and what the index of the quotes' creation costs an insert. COUNT sets the number of quotes; only a run with the usual number is recorded. Loopback only; a
 * million take about ten minutes and 5 GB.
 */

const count = Number(process.env.COUNT ?? 1_000_000)
const maxMinutes = 5 + count / 50_000
const timer = setTimeout(() => {
  console.error(`not finished within ${maxMinutes} minutes`)
  process.exit(1)
}, maxMinutes * 60_000)

const calls = 100

/** The same figures for 30 days without the rows that a job keeps. */
const countInOneStatement = `
  select q.partner_id, (q.created_at at time zone 'Europe/London')::date, count(*), count(price), count(c.quote_id), count(k.quote_id)
    from quotes q left join (select distinct quote_id from customers) c using (quote_id)
                  left join (select distinct quote_id from contracts) k using (quote_id)
   where created_at > now() - interval '30 days' group by 1, 2`

const run = beginRun('funnel')
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const port = await findFreePort()
const baseUrl = `http://127.0.0.1:${port}`
const service = await startService(dataDir, port)
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const pool = new Pool({ connectionString: postgres.connectionString, max: 2 })
try {
  const partner = await connectPartner(baseUrl, credentials)
  await createCompletedQuote(partner)
  const operator = await connectOperator({ baseUrl, connectionString: postgres.connectionString } as never)
  // Nothing else counts while this program measures.
  await pool.query(`update scheduled_jobs set due_at = '2100-01-01'`)
  const { partners } = await copyHousehold(pool, count)
  const { rows } = await pool.query('select pg_size_pretty(pg_database_size(current_database())) as size')
  say('copied the quotes')

  const databases = await openDatabases(postgres.connectionString)
  const { signal } = new AbortController()
  const countEverythingMs = await timed(() => countFunnel({ databases, signal }, { everything: true }))
  say('counted everything')
  const { rows: counted } = await pool.query('select count(*)::int from funnel_days')
  const { rowCount } = await pool.query(
    `update quotes set bedrooms = 1 where quote_id in (select quote_id from quotes tablesample system (1) limit 500)`,
  )
  const countAgain = { changedQuotes: rowCount ?? 0, ms: await timed(() => countFunnel({ databases, signal })) }

  const from = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10)
  const { data } = await fetchPage('/Reports/funnel?limit=500')
  if (data.length !== 500) throw new Error(`the page has ${data.length} entries`)
  const page = (name: string, query: string) => measure(name, () => fetchPage(`/Reports/funnel${query}`))
  const reads = [
    await measure('the rows of a page and no more', () =>
      pool.query('select * from funnel_days where day > current_date - 30 order by day, partner_id limit 500'),
    ),
    await page('`GET /Reports/funnel`', ''),
    await page('500 entries', '?limit=500'),
    await page('500 entries of 366 days', `?limit=500&from=${from}`),
    await page('one partner, 366 days', `?limit=500&from=${from}&partnerId=${data[0]?.partnerId}`),
    await measure('export of 30 days', () => fetchText('/Reports/funnel/export')),
    await measure('export of 366 days', () => fetchText(`/Reports/funnel/export?from=${from}`), 20),
  ]
  const figures: FunnelFigures = {
    quotes: count,
    partners,
    databaseSize: rows[0].size,
    rowsKept: counted[0].count,
    countEverythingMs,
    countAgain,
    reads,
    countInOneStatementMs: await timed(() => pool.query(countInOneStatement)),
    insertMicros: await compareInserts(pool),
  }
  console.log(reportFunnel(figures))
  if (process.env.COUNT === undefined) await run.record(figures)

  async function fetchText(path: string): Promise<string> {
    const response = await fetch(`${baseUrl}/operator-api${path}`, {
      headers: { Authorization: `Bearer ${operator.token}` },
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(text)
    return text
  }

  async function fetchPage(path: string): Promise<{ data: { partnerId: string }[] }> {
    return JSON.parse(await fetchText(path))
  }
} finally {
  clearTimeout(timer)
  await pool.end()
  await service.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Times each call, after some that are not measured. */
async function measure(
  name: string,
  work: () => Promise<unknown>,
  times = calls,
): Promise<FunnelFigures['reads'][number]> {
  for (let warm = 0; warm < 5; warm++) await work()
  const taken: number[] = []
  for (let call = 0; call < times; call++) taken.push(await timed(work))
  return { name, p50Ms: percentile(taken, 50), p99Ms: percentile(taken, 99) }
}

function say(what: string): void {
  console.log(`${(performance.now() / 1_000).toFixed(0).padStart(4)} s  ${what}`)
}

import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { finalise, startHousehold } from '../../test/support/household.ts'
import { succeeded } from '../../test/support/responses.ts'
import { markdownTable, ms, ratio, whole } from '../markdown-table.ts'
import type { Run, Scenario } from '../scenario.ts'
import { type Compared, compareCalls, type Filled } from './calls.ts'
import { type Deployment, startDeployment } from './deployment.ts'
import { type Imported, measureImport } from './import.ts'
import { measureJourneys, type PerQuote, receiverCertificate } from './journeys.ts'
import { copyQuote } from './many-quotes.ts'

const emptyCount = 200
/** With what PostgreSQL writes to its log meanwhile. */
const bytesOf = ({ quotes, properties }: Run) => quotes * 7_000 + properties * 1_200 + 3e9

/**
 * What calls cost with many quotes and properties, compared with a database that has few; how fast properties are
 * imported; and what quotes leave on disk in a year.
 */
export const growth: Scenario = {
  maxMinutes: ({ quotes, properties }) => Math.ceil(10 + quotes / 150_000 + properties / 250_000),
  async measure(run) {
    if (!isBetween(run.quotes, 2_000, 5_000_000) || !isBetween(run.properties, 5_000, 30_000_000))
      throw new Error('--quotes must be 2,000 to 5,000,000, and --properties 5,000 to 30,000,000')
    const { bavail, bsize } = await statfs(tmpdir())
    if (bavail * bsize < bytesOf(run)) throw new Error(`${tmpdir()} needs ${size(bytesOf(run))} of free space`)
    const measuring = await startDeployment(run, {
      WEBHOOK_ALLOW_LOOPBACK: 'true',
      WEBHOOK_REQUIRE_VERIFICATION: 'false',
      NODE_EXTRA_CA_CERTS: receiverCertificate,
    })
    const perQuote = await measureJourneys(measuring, run.isQuick ? 20 : 500)
    run.say('measured what journeys leave on disk')
    const [emptyDeployment, fullDeployment] = [await startDeployment(run), await startDeployment(run)]
    const imported = await measureImport(run, fullDeployment)
    run.say(`imported ${run.properties} properties`)
    const empty = await fill(emptyDeployment, emptyCount, emptyCount / 2)
    const full = await fill(fullDeployment, run.quotes, Math.min(2_000, run.quotes / 10))
    run.say(`made ${run.quotes} quotes`)
    const compared = await compareCalls(empty, full, run.isQuick ? 10 : 500)
    return [reportImport(imported), reportCalls(run, compared), reportYear(perQuote)].join('\n\n')
  },
}

const isBetween = (value: number, least: number, most: number) =>
  Number.isInteger(value) && value >= least && value <= most

async function fill(deployment: Deployment, quotes: number, readable: number): Promise<Filled> {
  const { lead } = await startHousehold(deployment.partner, { tenants: 1 })
  succeeded(await finalise(deployment.partner, lead))
  const { rows } = await deployment.pool.query<{ postcode: string }>(
    'select distinct postcode from (select postcode from properties order by address_uid desc limit 1500) p',
  )
  const made = await copyQuote(deployment.pool, deployment.cipher, { count: quotes, readable })
  return { deployment, count: quotes, readable: made, postcodes: rows.map(({ postcode }) => postcode) }
}

function reportImport({ properties, imported, importedAgain, bareCopy }: Imported): string {
  const row = (what: string, seconds: number) => [what, whole(properties / seconds), ratio(bareCopy / seconds)]
  return `### Importing ${whole(properties)} properties

The ratio is that to a bare COPY of the same rows; the aim is at least 0.50.

${markdownTable(
  ['', 'properties a second', 'ratio'],
  [
    row('bare COPY', bareCopy),
    row('`addresses import`', imported),
    row('`addresses import`, the same again', importedAgain),
  ],
)}`
}

function reportCalls({ quotes, properties }: Run, compared: readonly Compared[]): string {
  return `### ${whole(quotes)} quotes and ${whole(properties)} properties against ${whole(emptyCount)} quotes

The ratio is that of the medians; the aim is at most 1.3.

${markdownTable(
  ['', 'few, p50', 'many, p50', 'few, p99', 'many, p99', 'ratio'],
  compared.map(({ name, empty, full }) => [
    name,
    ...[empty.p50, full.p50, empty.p99, full.p99].map(ms),
    ratio(full.p50 / empty.p50),
  ]),
)}`
}

const quotesPerDay = 100_000
const days = 365
/** The days after which rows leave; rows of other tables stay. */
const keptDays: Readonly<Record<string, number>> = {
  idempotency_keys: 7,
  events: 30,
  delivery_history: 30,
  audit_log: 7 * 365,
}

function reportYear({ serviceMs, postgresMs, tables, walBytes }: PerQuote): string {
  const rows = [...tables].map(([name, { rows: perQuote, bytes }]) => {
    const kept = keptDays[name]
    const bytesAtEnd = bytes * quotesPerDay * Math.min(kept ?? days, days)
    const cells = [`\`${name}\``, perQuote.toFixed(2), whole(bytes), kept === undefined ? 'always' : `${kept} days`]
    return { cells: [...cells, size(bytesAtEnd)], bytesAtEnd }
  })
  rows.sort((one, other) => other.bytesAtEnd - one.bytesAtEnd)
  const total = rows.reduce((sum, { bytesAtEnd }) => sum + bytesAtEnd, 0)
  return `### A year at ${whole(quotesPerDay)} quotes a day

After a year, ${size(total)} are on disk, of which ${size((tables.get('audit_log')?.bytes ?? 0) * quotesPerDay * days)} are the audit log. The write-ahead log is ${size(walBytes * quotesPerDay)} a day. A quote takes ${serviceMs.toFixed(1)} ms of processor time in the service and ${postgresMs.toFixed(1)} ms in PostgreSQL.

${markdownTable(
  ['table', 'rows per quote', 'bytes per quote', 'kept', 'on disk after a year'],
  rows.map(({ cells }) => cells),
)}`
}

function size(bytes: number): string {
  const [unit, factor] = bytes >= 1e12 ? ['TB', 1e12] : ['GB', 1e9]
  return `${(bytes / factor).toFixed(bytes < 10 * factor ? 1 : 0)} ${unit}`
}

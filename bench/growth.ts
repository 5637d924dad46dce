import { statfs } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { finalise, startHousehold } from '../test/support/household.ts'
import { succeeded } from '../test/support/responses.ts'
import { compareCalls, type Filled } from './growth/calls.ts'
import { type Deployment, readTableSizes, startDeployment } from './growth/database.ts'
import { measureJourneys, receiverCertificate } from './growth/journeys.ts'
import { copyQuote } from './growth/many-quotes.ts'
import { beginRun } from './results.ts'

/*
 * `npm run bench:growth`: what calls cost with many quotes, compared with an empty database, and what a year of 100,000 quotes a day takes. COUNT sets the
 * number of quotes, 100,000 by default; five million take about half an hour. Uses at most 40 GB of disk. Loopback only.
 */

const count = Number(process.env.COUNT ?? 100_000)
const emptyCount = 200
const times = Number(process.env.TIMES ?? 1_000)
const maxBytes = 40e9
/** With what PostgreSQL writes to its log meanwhile. */
const bytesPerQuote = 7_000
const maxMinutes = 10 + count / 150_000
const { bavail, bsize } = await statfs(tmpdir())
const needed = Math.min(maxBytes, count * bytesPerQuote) + 2e9
if (bavail * bsize < needed) throw new Error(`${tmpdir()} needs ${Math.ceil(needed / 1e9)} GB of free space`)

const run = beginRun('growth')
const deployments: Deployment[] = []
const timer = setTimeout(async () => {
  console.error(`not finished within ${maxMinutes} minutes`)
  await Promise.allSettled(deployments.map((deployment) => deployment.stop()))
  process.exit(1)
}, maxMinutes * 60_000)
try {
  const measuring = await start({
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    WEBHOOK_REQUIRE_VERIFICATION: 'false',
    NODE_EXTRA_CA_CERTS: receiverCertificate,
  })
  const perQuote = await measureJourneys(measuring)
  await measuring.stop()
  deployments.pop()
  console.log(`journeys measured, ${Math.round(perQuote.walBytes)} bytes of WAL per quote`)

  const empty = await fill(await start(), emptyCount, emptyCount / 2)
  const startedAt = performance.now()
  const full = await fill(await start(), count, Math.min(2_000, count / 10))
  const minutesToFill = (performance.now() - startedAt) / 60_000
  console.log(`${count} quotes made in ${minutesToFill.toFixed(1)} minutes`)

  const compared = await compareCalls(empty, full, times)
  console.table(
    compared.map(({ name, ...figures }) => ({
      name,
      empty: figures.empty.p50,
      full: figures.full.p50,
      ratio: figures.ratio,
    })),
  )
  const sizes = await readTableSizes(full.deployment.pool)
  await run.record({
    count,
    emptyCount,
    times,
    minutesToFill,
    sizes: [...sizes],
    compared,
    perQuote: { ...perQuote, tables: [...perQuote.tables] },
  })
} finally {
  clearTimeout(timer)
  for (const deployment of deployments) await deployment.stop()
}

async function start(environment: Record<string, string> = {}): Promise<Deployment> {
  const deployment = await startDeployment(environment)
  deployments.push(deployment)
  return deployment
}

async function fill(deployment: Deployment, quotes: number, readable: number): Promise<Filled> {
  const { lead } = await startHousehold(deployment.partner, { tenants: 1 })
  succeeded(await finalise(deployment.partner, lead))
  const made = await copyQuote(deployment.pool, deployment.cipher, { count: quotes, readable, maxBytes })
  return { deployment, count: quotes, readable: made }
}

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import { type ComparedServer, measureRequests, startComparedServer } from './protection/compared-server.ts'
import { reportProtection, summarise, type Turns } from './protection/report.ts'
import { beginRun } from './results.ts'

/*
 * `npm run bench:protection`: compares the hot paths of two servers, one of them without row-level security, field encryption and the
 * audit log, and reports the cost of this protection as ratios. Both run at the same time and are measured alternately, a few hundred
 * requests each time. Loopback only; takes two to four minutes.
 */
const rounds = Number(process.argv[2] ?? 15)
const requests = 300
const warmUps = 3

const begun = performance.now()
const run = beginRun('protection')
const dataDir = await mkdtemp(join(tmpdir(), 'housebill-protection-'))
const postgres = await startEmbeddedPostgres({ dataDir, log: () => undefined })
const administrator = new Client({ connectionString: postgres.connectionString })
const sides: ComparedServer[] = []
try {
  await administrator.connect()
  const start = async (without: Parameters<typeof startComparedServer>[0]): Promise<ComparedServer> => {
    const side = await startComparedServer(without, {
      administrator,
      connectionString: postgres.connectionString,
      dataDir,
    })
    sides.push(side)
    return side
  }
  const whole = await start('nothing')
  const comparisons: ReturnType<typeof summarise>[] = []
  for (const protection of ['isolation', 'encryption', 'audit'] as const) {
    const side = await start(protection)
    comparisons.push(summarise(protection, await compare(whole, side)))
    side.stop()
    console.log(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${protection}: measured`)
  }
  const figures = { rounds, requests, comparisons }
  console.log(reportProtection(figures))
  await run.record(figures)
} finally {
  await administrator.end()
  for (const side of sides) side.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function compare(whole: ComparedServer, without: ComparedServer): Promise<Turns[]> {
  const compared: Turns[] = []
  for (const [index, { name }] of whole.calls.entries()) {
    const turns: Turns = { name, with: [], without: [] }
    for (const side of [whole, without]) await side.renewStatistics()
    for (let round = -warmUps; round < rounds; round += 1) {
      // The two servers take turns being measured first.
      const order = [
        ['with', whole],
        ['without', without],
      ] as const
      for (const [which, side] of round % 2 === 0 ? order : order.toReversed()) {
        const turn = await measureRequests(side, index, requests)
        if (round >= 0) turns[which].push(turn)
      }
    }
    compared.push(turns)
  }
  return compared
}

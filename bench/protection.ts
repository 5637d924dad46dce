import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { startEmbeddedPostgres } from '../private-postgres/start-embedded.ts'
import {
  type ComparedServer,
  measureRequests,
  startComparedServer,
  type TimesPerRequest,
} from './protection/compared-server.ts'
import { type Comparison, writeReport } from './protection/report.ts'

/*
 * `npm run bench:protection`: compares the hot paths of two servers, one of them without row-level security, field encryption and the
 * audit log, and reports the cost of this protection as ratios. Both run at the same time and are measured alternately, a few hundred
 * requests each time. Writes docs/benchmarks/protection.md. Uses only loopback; takes two to four minutes.
 */
const rounds = Number(process.argv[2] ?? 15)
const requests = 300
const warmUps = 3

const begun = performance.now()
const [before = 0] = loadavg()
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
  const comparisons: Comparison[] = []
  for (const protection of ['isolation', 'encryption', 'audit'] as const) {
    const side = await start(protection)
    comparisons.push({ protection, calls: await compare(whole, side) })
    side.stop()
    console.log(`${((performance.now() - begun) / 1_000).toFixed(0).padStart(4)} s  ${protection}: measured`)
  }
  const [after = 0] = loadavg()
  await writeReport({ comparisons, rounds, requests, load: { before, after } })
  console.log('written: docs/benchmarks/protection.md')
} finally {
  await administrator.end()
  for (const side of sides) side.stop()
  await postgres.stop()
  await rm(dataDir, { recursive: true, force: true })
}

async function compare(whole: ComparedServer, without: ComparedServer): Promise<Comparison['calls']> {
  const compared: Comparison['calls'] = []
  for (const [index, { name }] of whole.calls.entries()) {
    const turns: { with: TimesPerRequest[]; without: TimesPerRequest[] } = { with: [], without: [] }
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
    compared.push({ name, turns })
  }
  return compared
}

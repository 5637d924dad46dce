import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, startService } from './child-service.ts'
import { percentile } from './percentile.ts'
import { beginRun } from './results.ts'
import { reportStart, type StartTimes } from './start-time/report.ts'

/** `npm run bench:start`: measures the time from the start command to /health/ready, with an empty data folder and with a used one. */
const rounds = 5
const empty: number[] = []
const used: number[] = []
const run = beginRun('start')
const folders: string[] = []
for (let round = 0; round < rounds; round += 1) {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-start-'))
  folders.push(dataDir)
  for (const times of [empty, used]) {
    const service = await startService(dataDir, await findFreePort())
    times.push(service.readyAfterMs)
    await service.stop()
  }
}
// Not between the rounds: a disk that is still discarding deleted files makes the next start slower.
for (const folder of folders) await rm(folder, { recursive: true, force: true })
const figures = { rounds, emptyFolder: summarise(empty), usedFolder: summarise(used) }
console.log(reportStart(figures))
await run.record(figures)

function summarise(times: readonly number[]): StartTimes {
  return { medianMs: percentile(times, 50), shortestMs: Math.min(...times), longestMs: Math.max(...times) }
}

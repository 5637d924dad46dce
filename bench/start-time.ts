import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findFreePort, startService } from './child-service.ts'

/** `npm run bench:start`: measures the time from the start command to /health/ready, with an empty data folder and with a used one. */
const rounds = 5
const empty: number[] = []
const used: number[] = []
for (let round = 0; round < rounds; round += 1) {
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-start-'))
  for (const figures of [empty, used]) {
    const service = await startService(dataDir, await findFreePort())
    figures.push(service.readyAfterMs)
    await service.stop()
  }
  await rm(dataDir, { recursive: true, force: true })
}
console.log(`empty folder: ${describe(empty)}`)
console.log(`used folder:  ${describe(used)}`)

function describe(figures: readonly number[]): string {
  const sorted = [...figures].sort((a, b) => a - b)
  const at = (index: number) => `${((sorted[index] ?? 0) / 1000).toFixed(2)} s`
  return `median ${at(Math.floor(sorted.length / 2))}, min ${at(0)}, max ${at(sorted.length - 1)} (${rounds} starts)`
}

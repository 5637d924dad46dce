import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import autocannon from 'autocannon'
import { connectApi } from './api-client.ts'
import { walkJourney } from './journeys/walk.ts'
import { startMeasuredService } from './measured-service.ts'
import { reportMemory } from './memory/report.ts'
import { residentMemory } from './memory/resident.ts'
import { connections } from './requests/measure.ts'
import { prepareServiceScenarios } from './requests/scenarios.ts'
import { beginRun } from './results.ts'
import '../test/support/loopback-only.ts'

/*
 * `npm run bench:memory`: the memory of the service and its PostgreSQL, at rest and while all requests are sent at full speed for ten
 * minutes. `-- --minutes 1` is shorter and not recorded. Loopback only, and only on Linux.
 */

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' } } })
const minutes = Number(values.minutes)
const sampleEveryMs = 30_000

const run = beginRun('memory')
const service = await startMeasuredService()
try {
  await sleep(10_000)
  const atRest = residentMemory(service)
  const scenarios = await prepareServiceScenarios(service)
  const api = await connectApi(service.url)
  service.alsoStop(api.close)

  const startedAt = performance.now()
  const secondsSinceStart = () => Math.round((performance.now() - startedAt) / 1_000)
  const isOver = () => secondsSinceStart() >= minutes * 60
  const load = autocannon({
    url: service.url,
    connections,
    duration: minutes * 60,
    // Few documents may wait to be rendered, so the journeys render them.
    requests: scenarios.filter(({ name }) => name !== 'preview').flatMap(({ requests }) => requests),
  })
  const journeys = (async () => {
    while (!isOver()) await walkJourney(api)
  })()
  const samples: ReturnType<typeof sample>[] = []
  const sample = () => ({ atSeconds: secondsSinceStart(), ...residentMemory(service) })
  while (!isOver()) {
    await sleep(Math.min(sampleEveryMs, minutes * 60_000))
    samples.push(sample())
  }
  const [{ requests, non2xx, errors }] = await Promise.all([load, journeys])
  if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} responses other than 2xx, ${errors} errors`)
  const figures = { minutes, requestsPerSecond: requests.average, atRest, samples }
  console.log(reportMemory(figures))
  if (minutes >= 10) await run.record(figures)
} finally {
  await service.stop()
}

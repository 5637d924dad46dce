import { parseArgs } from 'node:util'
import { connectApi } from './api-client.ts'
import { walkAtFullSpeed, walkSteadily } from './journeys/load.ts'
import { reportJourneys } from './journeys/report.ts'
import { startMeasuredService } from './measured-service.ts'
import { beginRun } from './results.ts'
import '../test/support/loopback-only.ts'

/*
 * `npm run bench:journeys`: how many whole journeys a second the service completes, from the address lookup to the contracts of three
 * tenants, and how long each step takes at half that rate. Loopback only; takes two minutes.
 */

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '30' } } })
const seconds = Number(values.seconds)

const run = beginRun('journeys')
const service = await startMeasuredService()
try {
  const api = await connectApi(service.url)
  service.alsoStop(api.close)
  await walkAtFullSpeed(api, Math.min(10, seconds))
  const { perSecond } = await walkAtFullSpeed(api, seconds)
  const steady = await walkSteadily(api, perSecond / 2, seconds)
  const figures = { seconds, perSecond, ...steady }
  console.log(reportJourneys(figures))
  if (seconds >= 30) await run.record(figures)
} finally {
  await service.stop()
}

import { setTimeout as sleep } from 'node:timers/promises'
import autocannon from 'autocannon'
import { connectApi } from './api-client.ts'
import { markdownTable, whole } from './markdown-table.ts'
import { startMeasuredService } from './measured-service.ts'
import { prepareServiceOperations } from './requests/prepare-operations.ts'
import { walkJourney } from './requests/walk.ts'
import { type Resident, residentMemory } from './resident-memory.ts'
import type { Scenario } from './scenario.ts'

/** The aims for the service without PostgreSQL, in MiB. */
const atMost = { atRest: 170, underLoad: 350 }

/**
 * The memory of the service and its PostgreSQL, at rest and while all requests are sent at full speed for ten minutes,
 * with one journey after another beside them. Only on Linux.
 */
export const memory: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 2 : 13),
  async measure(run) {
    const [seconds, sampleSeconds] = run.isQuick ? [5, 5] : [600, 30]
    const service = await startMeasuredService(run)
    await sleep(run.isQuick ? 1_000 : 10_000)
    const atRest = residentMemory(service)
    const operations = await prepareServiceOperations(run, service)
    const api = await connectApi(run, service.url)
    const startedAt = performance.now()
    const isOver = () => performance.now() - startedAt >= seconds * 1_000
    const sent: autocannon.Result[] = []
    const load = (async () => {
      // Autocannon loses count of a connection's requests when the service ends it, which it does after 10,000.
      while (!isOver())
        sent.push(
          await autocannon({
            url: service.url,
            connections: 32,
            duration: sampleSeconds,
            // Few documents may wait to be rendered, so the journeys render them.
            requests: operations.filter(({ name }) => name !== 'preview').flatMap(({ requests }) => requests),
          }),
        )
    })()
    const journeys = (async () => {
      while (!isOver()) await walkJourney(api)
    })()
    const samples: Resident[] = []
    while (!isOver()) {
      await sleep(sampleSeconds * 1_000)
      samples.push(residentMemory(service))
      run.say(`${total(samples.at(-1) ?? atRest)} MiB`)
    }
    await Promise.all([load, journeys])
    const failed = sent.find(({ non2xx, errors }) => non2xx > 0 || errors > 0)
    if (failed !== undefined)
      throw new Error(`${failed.errors} errors; responses by status: ${JSON.stringify(failed.statusCodeStats)}`)
    const perSecond = sent.reduce((sum, { requests }) => sum + requests.total, 0) / seconds
    return report(atRest, samples, { seconds, sampleSeconds, perSecond })
  },
}

const withoutCache = ({ service, postgres }: Resident) => service + postgres
const total = (found: Resident) => withoutCache(found) + found.cache

function report(
  atRest: Resident,
  samples: readonly Resident[],
  load: { seconds: number; sampleSeconds: number; perSecond: number },
): string {
  const peak = samples.reduce((one, other) => (other.service > one.service ? other : one), atRest)
  const row = (when: string, found: Resident, limit?: number) => [
    when,
    ...[found.service, found.serviceFiles, found.postgres, found.cache].map((value) => `${value} MiB`),
    limit === undefined ? '' : `at most ${limit} MiB: ${found.service <= limit ? 'met' : 'missed'}`,
  ]
  const rows = [
    row('at rest', atRest, atMost.atRest),
    row(`after the first ${load.sampleSeconds} s of load`, samples[0] ?? atRest),
    row('at the end of the load', samples.at(-1) ?? atRest),
    row('the most', peak, atMost.underLoad),
  ]
  return `The load lasts ${load.seconds} s, with ${whole(load.perSecond)} requests a second.

${markdownTable(['', 'service', 'of it code', 'PostgreSQL', 'its cache', 'aim for the service'], rows)}

Every ${load.sampleSeconds} s, in MiB: together ${samples.map(total).join(', ')};
without PostgreSQL's cache ${samples.map(withoutCache).join(', ')}.`
}

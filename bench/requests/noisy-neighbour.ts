import autocannon from 'autocannon'
import { findCredential, insertCredential, insertPartner } from '../../src/partners/partners.store.ts'
import { createDatabase, inTransaction } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { connectApi } from '../api-client.ts'
import { credentials } from '../child-service.ts'
import { markdownTable, ms, ratio, whole } from '../markdown-table.ts'
import { type MeasuredService, startMeasuredService } from '../measured-service.ts'
import { preparePartnerMix } from '../partner-mix.ts'
import { percentile } from '../percentile.ts'
import type { Scenario } from '../scenario.ts'
import type { LoadResult } from '../steady-load.ts'
import { packages, postcode } from './walk.ts'

const perSecond = 20
const noisyConnections = 32

/**
 * What one partner notices of another. A quiet partner sends a steady load; in every second phase, another one creates
 * quotes as fast as it can. The limit on calls is on, because it is what keeps partners from each other.
 */
export const noisyNeighbour: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 2 : 5),
  async measure(run) {
    const [seconds, rounds] = run.isQuick ? [2, 1] : [10, 3]
    const service = await startMeasuredService(run, { RATE_LIMIT_PER_SECOND: '100' })
    const noisy = await connectApi(run, service.url)
    const quiet = await connectApi(run, service.url, await addPartner(service))
    const [home] = await noisy.lookupAddresses({ postcode })
    const body = JSON.stringify({ addressUid: home?.addressUid, packages })
    const send = await preparePartnerMix(quiet)
    await send(perSecond, seconds / 2)
    const alone: LoadResult[] = []
    const beside: LoadResult[] = []
    let [served, rejected] = [0, 0]
    for (let round = 0; round < rounds; round += 1) {
      alone.push(await send(perSecond, seconds))
      const noise = autocannon({
        url: `${service.url}/partner-api/Quotes`,
        connections: noisyConnections,
        duration: seconds,
        method: 'POST',
        headers: { ...noisy.headers },
        body,
      })
      beside.push(await send(perSecond, seconds))
      const { '2xx': successes, non2xx } = await noise
      served += successes
      rejected += non2xx
      run.say(`round ${round + 1} of ${rounds}`)
    }
    const noiseSeconds = rounds * seconds
    return report(alone, beside, { served: served / noiseSeconds, rejected: rejected / noiseSeconds })
  },
}

/** Adds a partner with the secret of the benchmark's own. */
async function addPartner({ pool }: MeasuredService): Promise<typeof credentials> {
  const db = createDatabase(pool)
  const existing = await findCredential(db, credentials.clientId)
  if (existing === undefined) throw new Error('the service has no credential for the benchmark')
  const { secretHash, scopes } = existing
  const [partnerId, now] = [newId('partner'), new Date()]
  await inTransaction(db, {}, async (tx) => {
    await insertPartner(tx, { partnerId, name: 'Quiet', now })
    await insertCredential(tx, { clientId: partnerId, partnerId, secretHash, scopes, now })
  })
  return { ...credentials, clientId: partnerId }
}

function report(
  alone: readonly LoadResult[],
  beside: readonly LoadResult[],
  noise: { served: number; rejected: number },
): string {
  const timesOf = (rounds: readonly LoadResult[]) => rounds.flatMap(({ times }) => times)
  const row = (what: string, rounds: readonly LoadResult[]) => {
    const times = timesOf(rounds)
    const errors = rounds.reduce((sum, round) => sum + round.errors, 0)
    return [what, whole(times.length), String(errors), ms(percentile(times, 50)), ms(percentile(times, 99))]
  }
  const compared = [50, 99].map((percent) => percentile(timesOf(beside), percent) / percentile(timesOf(alone), percent))
  return `The noisy partner got ${whole(noise.served)} quotes a second over ${noisyConnections} connections; ${whole(noise.rejected)} calls a second were rejected.

${markdownTable(
  ['the quiet partner', 'responses', 'errors', 'p50', 'p99'],
  [row('alone', alone), row('beside the noisy one', beside), ['ratio', '', '', ...compared.map(ratio)]],
)}`
}

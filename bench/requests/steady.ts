import autocannon from 'autocannon'
import type { Operations } from '../../clients/typescript/src/operations.ts'
import { findCredential, insertCredential, insertPartner } from '../../src/partners/partners.store.ts'
import { createDatabase, inTransaction } from '../../src/platform/db/database.ts'
import { newId } from '../../src/platform/kernel/ids.ts'
import { cipherOf } from '../../test/support/partners.ts'
import { connectApi, type OperationTimes } from '../api-client.ts'
import { credentials } from '../child-service.ts'
import { markdownTable, ms, whole } from '../markdown-table.ts'
import { type MeasuredService, startMeasuredService } from '../measured-service.ts'
import { percentile } from '../percentile.ts'
import type { Scenario } from '../scenario.ts'
import { runSteadyLoad } from '../steady-load.ts'
import { packages, postcode, priceHousehold } from './walk.ts'

/** The part of the highest rate at which responses are timed. */
const share = 0.6
/** The aims for the p99, by operation. */
const aimsMs: Readonly<Record<string, number>> = {
  getQuote: 20,
  lookupAddresses: 20,
  getQuoteTotalCost: 20,
  createQuote: 40,
}
/** What the noisy partner may send in a second; it sends ten times that. */
const noisyLimit = 100
const connections = 32

/**
 * One partner's reads and creates at a steady rate, however long earlier ones take: alone, then beside a partner who
 * sends ten times what its limit allows.
 */
export const steady: Scenario = {
  maxMinutes: ({ isQuick }) => (isQuick ? 2 : 25),
  async measure(run) {
    const seconds = run.isQuick ? 2 : 600
    const service = await startMeasuredService(run)
    const noisy = await connectApi(run, service.url, await addPartner(service, noisyLimit))
    const [home] = await noisy.lookupAddresses({ postcode })
    const times: OperationTimes = new Map()
    const send = await preparePartnerMix((await connectApi(run, service.url)).timed(times))
    const highest = await findHighestRate(send, run.isQuick ? 1 : 10)
    run.say(`${whole(highest)} requests a second at most`)
    const perSecond = highest * share
    const lags: string[] = []
    const phase = async (what: string) => {
      times.clear()
      const { errors, senderLagP99Ms } = await runSteadyLoad(perSecond, seconds, send)
      run.say(what)
      lags.push(`${what}, ${ms(senderLagP99Ms)} and ${ms(await serviceLagP99Ms(service))}`)
      return [...times].map(([operation, taken]) => row(what, operation, taken, errors))
    }
    const alone = await phase('alone')
    const noise = autocannon({
      url: `${service.url}/partner-api/Quotes`,
      connections,
      overallRate: noisyLimit * 10,
      duration: seconds,
      workers: 1,
      method: 'POST',
      headers: { ...noisy.headers },
      body: JSON.stringify({ addressUid: home?.addressUid, packages }),
    })
    const beside = await phase('beside the noisy partner')
    const { '2xx': served, non2xx } = await noise
    return `The highest rate was ${whole(highest)} requests a second; ${whole(perSecond)} a second were sent for ${seconds} s in each phase, one in seven a create.
The noisy partner got ${whole(served / seconds)} quotes a second, and ${whole(non2xx / seconds)} calls a second were rejected.
How late timers were in the load generator and in the service, p99: ${lags.join('; ')}.

${markdownTable(['', 'operation', 'responses', 'errors of the phase', 'p50', 'p99', 'aim'], [...alone, ...beside])}`
  },
}

/** The service's own figure, over its whole life. */
async function serviceLagP99Ms({ url }: MeasuredService): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text()
  return Number(/^nodejs_eventloop_lag_p99_seconds (\S+)/m.exec(metrics)?.[1] ?? Number.NaN) * 1_000
}

function row(phase: string, operation: string, times: number[], errors: number): string[] {
  const p99 = percentile(times, 99)
  const aim = aimsMs[operation] ?? Number.NaN
  const judged = `at most ${aim} ms: ${p99 <= aim ? 'met' : 'missed'}`
  return [phase, operation, whole(times.length), String(errors), ms(percentile(times, 50)), ms(p99), judged]
}

/** How many requests a second are answered if each of some senders sends the next one at once. */
async function findHighestRate(send: SendOfMix, seconds: number): Promise<number> {
  const startedAt = performance.now()
  let sent = 0
  const sendUntilEnd = async () => {
    while (performance.now() - startedAt < seconds * 1_000) {
      sent += 1
      await send(sent)
    }
  }
  await Promise.all(Array.from({ length: connections }, sendUntilEnd))
  return (sent * 1_000) / (performance.now() - startedAt)
}

/** Adds a partner with the secret of the benchmark's own and a limit of its own. */
async function addPartner(
  { pool, connectionString, dataDir }: MeasuredService,
  requestsPerSecond: number,
): Promise<typeof credentials> {
  const db = createDatabase(pool)
  const cipher = await cipherOf({ connectionString, environment: {}, config: { realm: 'sandbox', dataDir } })
  const existing = await findCredential(db, cipher, credentials.clientId)
  if (existing === undefined) throw new Error('the service has no credential for the benchmark')
  const { secretHash, scopes } = existing
  const [partnerId, now] = [newId('partner'), new Date()]
  await inTransaction(db, {}, async (tx) => {
    await insertPartner(tx, { partnerId, name: 'Noisy', now })
    await insertCredential(tx, cipher, { clientId: partnerId, partnerId, secretHash, scopes, now })
  })
  await pool.query('update partners set requests_per_second = $1 where partner_id = $2', [requestsPerSecond, partnerId])
  return { ...credentials, clientId: partnerId }
}

/** Sends the request with this number of a partner's page: reads, and one new quote in seven. */
type SendOfMix = (index: number) => Promise<unknown>

/** Prepares a household, and returns what sends the requests of a partner's page. */
async function preparePartnerMix(api: Operations): Promise<SendOfMix> {
  const { quoteId, addressUid } = await priceHousehold(api)
  const getQuote = () => api.getQuote(quoteId)
  const lookup = () => api.lookupAddresses({ postcode })
  const totalCost = () => api.getQuoteTotalCost(quoteId)
  const createQuote = () => api.createQuote({ addressUid, packages })
  const mix = [getQuote, lookup, totalCost, getQuote, lookup, totalCost, createQuote]
  return async (index) => mix[index % mix.length]?.()
}

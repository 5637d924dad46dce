import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, findFreePort, startService } from './child-service.ts'
import { formatMilliseconds, percentile } from './percentile.ts'
import { type LoadResult, runSteadyLoad } from './steady-load.ts'

/*
 * `npm run bench:token-attack`: how long a known client waits for a token while a stranger sends 60 wrong secrets a second from all over
 * an IPv6 /48, compared with the same client on a quiet service. The aim is at most a second. Loopback only; takes about 45 seconds.
 */

const seconds = 20
const attackPerSecond = 60
const clientPerSecond = 2

const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
const port = await findFreePort()
const service = await startService(dataDir, port, {
  TRUSTED_PROXIES: '127.0.0.1',
  TOKEN_RATE_LIMIT_PER_MINUTE: '1000',
  LOG_LEVEL: 'silent',
})
try {
  await askFrom('198.51.100.1', credentials, 200)
  const client = { seconds, requestsPerSecond: clientPerSecond, kindOf: () => 'token' as const, send: askAsClient }
  const quiet = (await runSteadyLoad(client)).get('token')
  let network = 0
  const attack = runSteadyLoad({
    seconds,
    requestsPerSecond: attackPerSecond,
    kindOf: () => 'wrong secret' as const,
    send: () => {
      network += 1
      const stranger = { clientId: `sb_${network}`, clientSecret: 'wrong' }
      return askFrom(`2001:db8:9:${network.toString(16)}::1`, stranger, 401, 503)
    },
  })
  const attacked = (await runSteadyLoad(client)).get('token')
  report('quiet', quiet)
  report('attacked', attacked)
  report('wrong secrets', (await attack).get('wrong secret'))
  const ratio = percentile(attacked?.times ?? [], 50) / percentile(quiet?.times ?? [], 50)
  console.log(`median, attacked / quiet: ${ratio.toFixed(2)}`)
} finally {
  await service.stop()
  await rm(dataDir, { recursive: true, force: true })
}

function askAsClient(): Promise<void> {
  return askFrom('198.51.100.1', credentials, 200)
}

async function askFrom(address: string, body: object, ...expected: number[]): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/oauth/token`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'X-Forwarded-For': address },
    body: JSON.stringify(body),
  })
  await response.arrayBuffer()
  if (!expected.includes(response.status)) throw new Error(`a token call from ${address} returned ${response.status}`)
}

function report(name: string, result: LoadResult | undefined): void {
  const { times, errors } = result ?? { times: [], errors: 0 }
  const [median, longest] = [percentile(times, 50), percentile(times, 100)].map(formatMilliseconds)
  console.log(`${name.padEnd(14)} ${times.length} responses, ${errors} errors, median ${median}, longest ${longest}`)
}

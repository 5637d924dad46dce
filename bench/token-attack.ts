import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, findFreePort, startService } from './child-service.ts'
import { beginRun } from './results.ts'
import { runSteadyLoad } from './steady-load.ts'
import { reportTokenAttack, summarise } from './token-attack/report.ts'

/*
 * `npm run bench:token-attack`: how long a known client waits for a token while a stranger sends 60 wrong secrets a second from all over
 * an IPv6 /48, compared with the same client on a quiet service. The aim is at most a second. Loopback only; takes about 45 seconds.
 */

const seconds = 20
const attackPerSecond = 60
const clientPerSecond = 2

const run = beginRun('token-attack')
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
  const wrongSecrets = summarise((await attack).get('wrong secret'))
  const figures = { seconds, attackPerSecond, quiet: summarise(quiet), attacked: summarise(attacked), wrongSecrets }
  console.log(reportTokenAttack(figures))
  await run.record(figures)
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

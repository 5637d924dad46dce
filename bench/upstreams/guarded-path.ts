import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import Type from 'typebox'
import { Pool } from 'undici'
import { createUpstream } from '../../src/adapters/outbound-http/upstream.ts'
import { percentile } from '../percentile.ts'
import type { GuardedPath } from './report.ts'

const answers = { 200: Type.Object({ available: Type.Boolean(), maxDownloadMbps: Type.Number() }) }
const body = '{"available":true,"maxDownloadMbps":900}'

/**
 * Measures the cost of the guarded upstream client. Makes the same small GET with bare undici and with outbound-http, alternating in
 * the same run, one call at a time. The bare undici calls read and parse the body too, because every caller has to.
 */
export async function compareWithBareUndici(rounds = 5, callsEach = 2_000): Promise<GuardedPath> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const pool = new Pool(origin, { connections: 32 })
  const upstream = createUpstream({ name: 'bench', baseUrl: origin })
  const ways: Record<string, () => Promise<unknown>> = {
    'bare undici': async () => (await pool.request({ path: '/v1/availability', method: 'GET' })).body.json(),
    'outbound-http': () => upstream.call({ path: '/v1/availability', responses: answers }),
  }
  const took: Record<string, number[]> = { 'bare undici': [], 'outbound-http': [] }
  try {
    for (let round = 0; round <= rounds; round += 1) {
      for (const [name, call] of Object.entries(ways)) {
        const times = await timeEach(call, callsEach)
        // The first round is a warm-up.
        if (round > 0) took[name]?.push(...times)
      }
    }
  } finally {
    await Promise.all([pool.close(), upstream.close()])
    server.close()
  }
  const summary = (times: readonly number[] = []) => ({ p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) })
  return { rounds, callsEach, bare: summary(took['bare undici']), guarded: summary(took['outbound-http']) }
}

async function timeEach(call: () => Promise<unknown>, count: number): Promise<number[]> {
  const times: number[] = []
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now()
    await call()
    times.push(performance.now() - startedAt)
  }
  return times
}

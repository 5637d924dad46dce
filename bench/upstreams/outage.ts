import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials, findFreePort, startService } from '../child-service.ts'
import { connectLoadGenerator } from '../partner-load.ts'
import { percentile } from '../percentile.ts'
import type { LoadResult } from '../steady-load.ts'
import type { Outage } from './report.ts'

const requestsPerSecond = 200

const products = JSON.stringify({
  products: [
    {
      productId: 'fibre-150',
      name: 'Home Broadband 150',
      kind: 'line',
      downloadMbps: 150,
      monthlyPricePence: 2_900,
      setupPricePence: 1_000,
    },
  ],
})

/**
 * Measures the service at 200 requests per second, first with working upstreams, then for the same time with a home telecom provider that
 * accepts every request and never responds, which is the most expensive kind of outage.
 */
export async function measureOutage(seconds = 30): Promise<Outage> {
  const provider = await startUpstream(products)
  const database = await startUpstream('{"available":true,"maxDownloadMbps":900}')
  const dataDir = await mkdtemp(join(tmpdir(), 'housebill-bench-'))
  const port = await findFreePort()
  const service = await startService(dataDir, port, {
    HOME_TELECOM_URL: provider.url,
    BROADBAND_DATABASE_URL: database.url,
  })
  try {
    const partner = await connectLoadGenerator(`http://127.0.0.1:${port}`, credentials)
    await partner.load(requestsPerSecond, 5)
    await partner.forgetChecks()
    const well = await partner.load(requestsPerSecond, seconds)
    await partner.forgetChecks()
    provider.setDown(true)
    const down = await partner.load(requestsPerSecond, seconds)
    provider.setDown(false)
    const completeAfter = await partner.waitForCompleteCheck()
    await partner.close()
    return {
      requestsPerSecond,
      seconds,
      phases: [
        phaseOf('no upstream, upstreams healthy', well.unaffected),
        phaseOf('no upstream, during the outage', down.unaffected),
        phaseOf('checks, upstreams healthy', well.checks),
        phaseOf('checks, during the outage', down.checks),
      ],
      p99Ratio: percentile(down.unaffected.times, 99) / percentile(well.unaffected.times, 99),
      completeAfterSeconds: completeAfter / 1_000,
    }
  } finally {
    await service.stop()
    provider.close()
    database.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

function phaseOf(name: string, { times, errors }: LoadResult): Outage['phases'][number] {
  return { name, requests: times.length, errors, p50Ms: percentile(times, 50), p99Ms: percentile(times, 99) }
}

/** An upstream that always returns the same response, and can be made to hang. */
async function startUpstream(body: string) {
  let isDown = false
  const server = createServer((_request: IncomingMessage, response: ServerResponse) => {
    if (!isDown) response.writeHead(200, { 'content-type': 'application/json' }).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setDown(down: boolean) {
      isDown = down
    },
    close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

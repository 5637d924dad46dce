import type { UpstreamLimits } from '../../src/platform/outbound/guard.ts'
import { json, type Script, type ScriptedServer, startScriptedServer } from '../platform/outbound/scripted-server.ts'
import type { Partner } from '../support/client.ts'
import type { Reply } from '../support/response-types.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'

/** The two upstreams of an availability check, each of which gives the half of the result that has its name. */
export const checkedUpstreams = ['homeTelecom', 'broadbandDatabase'] as const
export type Half = (typeof checkedUpstreams)[number]
export function otherHalf(half: Half): Half {
  return half === 'homeTelecom' ? 'broadbandDatabase' : 'homeTelecom'
}

/** Limits that allow only one attempt for each call, and let a call through again soon after the breaker has opened. */
export const quickLimits: Partial<UpstreamLimits> = {
  maxBytes: 4_000,
  retries: 0,
  failuresToOpen: 3,
  halfOpenAfterMs: 100,
}

const lineProduct = {
  productId: 'fibre-150',
  name: 'Home Broadband 150',
  kind: 'line',
  downloadMbps: 150,
  monthlyPricePence: 2_900,
  setupPricePence: 1_000,
}

/** How each of the two upstreams responds when it is healthy. The provider returns two install dates. */
export const healthyResponses: Record<Half, Script> = {
  homeTelecom: (request, response) => {
    const body = request.url?.startsWith('/v1/install-dates')
      ? { dates: ['2027-02-01', '2027-02-02'] }
      : { products: [lineProduct] }
    json(JSON.stringify(body))(request, response)
  },
  broadbandDatabase: json('{"available":true,"maxDownloadMbps":900}'),
}

export type BreakableUpstreams = Record<Half, ScriptedServer>

export async function startBreakableUpstreams(): Promise<BreakableUpstreams> {
  const [homeTelecom, broadbandDatabase] = await Promise.all([
    startScriptedServer(healthyResponses.homeTelecom),
    startScriptedServer(healthyResponses.broadbandDatabase),
  ])
  return { homeTelecom, broadbandDatabase }
}

let used = 0
/** Returns a sample property that this test file has not used yet. */
export function unusedProperty(): string {
  used += 1
  return ordinaryProperty(used).addressUid
}

export type CheckResult = Reply<'GET', '/Quotes/run-broadband-availability-check/{uid}'>

export async function runCheck(partner: Partner, addressUid: string): Promise<CheckResult> {
  return succeeded(await partner.get(`/Quotes/run-broadband-availability-check/${addressUid}`))
}

/** Whether the check's result contains the data that this upstream returns when it is healthy. */
export function hasDataFrom(half: Half, result: CheckResult): boolean {
  if (half === 'broadbandDatabase') return result.maxSpeed === 900
  return result.products.map((product) => product.productId).join() === 'fibre-150'
}

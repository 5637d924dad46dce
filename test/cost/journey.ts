import { recordOperations } from '../../scripts/generated/examples/journey.ts'
import { recordOperatorApi } from '../../scripts/generated/examples/operator.ts'
import { createRecorder } from '../../scripts/generated/examples/recorder.ts'
import { operatorRoutes } from '../../src/app/http/operator-routes.ts'
import { routes } from '../../src/app/http/routes.ts'
import { earnAtOnce } from '../back-office/start-commission.ts'
import { getToken } from '../support/client.ts'
import type { Cost } from './database-meter.ts'
import { type MeteredService, now } from './metered-service.ts'

/**
 * Calls every operation of both APIs, as the examples of the API documents do, and returns the cost of each operation's
 * first call. The partner's journey is taken twice, and the first one warms up: it opens connections and fills the
 * caches.
 */
export async function meterOperations(
  service: MeteredService,
  betweenJourneys?: () => Promise<void>,
): Promise<Map<string, Cost>> {
  const url = `${service.baseUrl}/partner-api`
  const token = await getToken(service.baseUrl, service.credentials)
  const recorder = createRecorder({ url, token, routes })
  const context = {
    recorder,
    work: service.dispatch,
    earn: (sold: string) => earnAtOnce(service, sold, { now: () => now }),
  }
  await recordOperations(context)
  await betweenJourneys?.()
  service.takeCosts()
  await getToken(service.baseUrl, service.credentials)
  await recordOperations(context)
  await recordOperatorApi(service, recorder.recording)
  const first = new Map<string, Cost>()
  for (const { operationId, cost } of service.takeCosts()) if (!first.has(operationId)) first.set(operationId, cost)
  return first
}

/** Every operation of both route tables, in their order, after the token requests that the journey sends. */
export const allOperations: readonly string[] = [
  'issueToken',
  ...[...routes, ...operatorRoutes].map(({ operationId }) => operationId),
]

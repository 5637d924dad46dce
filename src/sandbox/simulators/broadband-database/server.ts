import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import { createSampleSpecialCaseFinder, type FindSpecialCase, networkSpeedMbps } from '../simulated-network.ts'
import {
  createSimulatorServer,
  defaultSlowMilliseconds,
  pause,
  propertyQuery,
  sendOutageResponse,
  simulateRequestedFault,
} from '../simulator-server.ts'

const AvailabilityQuery = Type.Object(propertyQuery)

export interface BroadbandDatabaseSimulatorOptions {
  specialCaseOf?: FindSpecialCase
  slowMilliseconds?: number
}

/**
 * A simulated database of broadband networks. It covers every property and follows
 * `docs/upstreams/broadband-database.openapi.yaml`. For the sandbox's special properties it is down, slow or offers no
 * broadband. A request header can ask for these and other faults.
 */
export function buildBroadbandDatabaseSimulator(options: BroadbandDatabaseSimulatorOptions = {}): FastifyInstance {
  const { specialCaseOf = createSampleSpecialCaseFinder(), slowMilliseconds = defaultSlowMilliseconds } = options
  const server = createSimulatorServer()

  server.get<{ Querystring: Static<typeof AvailabilityQuery> }>(
    '/v1/availability',
    { schema: { querystring: AvailabilityQuery } },
    async (request, reply) => {
      const { query } = request
      const fault = await simulateRequestedFault(request, reply)
      if (fault === 'responded') return reply
      if (fault === 'nothing-sold') return { available: false, maxDownloadMbps: 0 }
      switch (specialCaseOf(query.uprn)) {
        case 'broadband-database-down':
        case 'both-down':
          return sendOutageResponse(reply)
        case 'no-broadband':
          return { available: false, maxDownloadMbps: 0 }
        case 'slow-upstreams':
          await pause(slowMilliseconds)
          break
      }
      return { available: true, maxDownloadMbps: networkSpeedMbps(query.uprn) }
    },
  )

  return server
}

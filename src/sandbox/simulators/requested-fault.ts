import type { FastifyReply, FastifyRequest } from 'fastify'
import { readRequestedBehaviour } from './behaviour-header.ts'
import { pause, sendOutageResponse, sendProblem } from './simulator-server.ts'

/**
 * - `responded`: the response was sent or is deliberately withheld, so the route must do nothing more.
 * - `nothing-sold`: the route must respond that no broadband is available.
 * - `as-usual`: the route must respond normally.
 */
export type FaultOutcome = 'responded' | 'nothing-sold' | 'as-usual'

const retryAfterSeconds = 30

/** Simulates the fault that a request asks for in its header, if any. */
export async function simulateRequestedFault({ headers }: FastifyRequest, reply: FastifyReply): Promise<FaultOutcome> {
  const behaviour = readRequestedBehaviour(headers)
  switch (behaviour?.outcome) {
    case 'down':
      sendOutageResponse(reply)
      return 'responded'
    case 'timeout':
      // Never responds, so the client times out.
      reply.hijack()
      return 'responded'
    case 'not-json':
      reply.type('text/html').send('<!doctype html><title>Maintenance</title>')
      return 'responded'
    case 'wrong-shape':
      reply.send({ message: 'ok' })
      return 'responded'
    case 'rate-limited':
      sendProblem(reply.header('retry-after', retryAfterSeconds), 429, 'Simulated rate limit.')
      return 'responded'
    case 'no-products':
    case 'no-broadband':
      return 'nothing-sold'
    case 'slow':
      await pause(behaviour.seconds * 1_000)
      return 'as-usual'
    default:
      return 'as-usual'
  }
}

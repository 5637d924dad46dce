import type { FastifyReply, FastifyRequest } from 'fastify'
import { pause, sendOutage, sendProblem } from './simulator-server.ts'
import { readSteering } from './steering-header.ts'

/** What the simulator must still do after a steered request was delayed. */
export type SteeredOutcome = 'responded' | 'nothing-sold' | 'as-it-is'

const retryAfterSeconds = 30

/** Simulates the fault a request was steered to, if any. `responded`: the request is finished, or never will be. */
export async function simulateSteeredFault({ headers }: FastifyRequest, reply: FastifyReply): Promise<SteeredOutcome> {
  const steering = readSteering(headers)
  switch (steering?.outcome) {
    case 'down':
      sendOutage(reply)
      return 'responded'
    case 'timeout':
      // Never responds: the client gives up.
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
      await pause(steering.seconds * 1_000)
      return 'as-it-is'
    default:
      return 'as-it-is'
  }
}

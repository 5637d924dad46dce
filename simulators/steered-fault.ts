import type { FastifyReply, FastifyRequest } from 'fastify'
import { pause, sendOutage, sendProblem } from './simulator-server.ts'
import { readSteering } from './steering-header.ts'

/** What the simulator must do next. After `responded`, that is nothing: the request was answered, or never will be. */
export type SteeredOutcome = 'responded' | 'nothing-sold' | 'as-usual'

const retryAfterSeconds = 30

/** Simulates the fault that a request is steered to, if there is one. */
export async function simulateSteeredFault({ headers }: FastifyRequest, reply: FastifyReply): Promise<SteeredOutcome> {
  const steering = readSteering(headers)
  switch (steering?.outcome) {
    case 'down':
      sendOutage(reply)
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
      await pause(steering.seconds * 1_000)
      return 'as-usual'
    default:
      return 'as-usual'
  }
}

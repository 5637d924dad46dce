import type { FastifyReply, FastifyRequest } from 'fastify'
import { pause, sendOutage, sendProblem } from './simulator-server.ts'
import { readSteering } from './steering-header.ts'

/** What is left to the simulator once a steered request has been delayed: nothing, or an answer of its own. */
export type Steered = 'answered' | 'nothing-sold' | 'as-it-is'

const retryAfterSeconds = 30

/** Plays the fault a request was steered to, if it was. `answered`: the request is done with, or never will be. */
export async function playSteeredFault({ headers }: FastifyRequest, reply: FastifyReply): Promise<Steered> {
  const steering = readSteering(headers)
  switch (steering?.outcome) {
    case 'down':
      sendOutage(reply)
      return 'answered'
    case 'timeout':
      // Never answered: the one who asks hangs up.
      reply.hijack()
      return 'answered'
    case 'not-json':
      reply.type('text/html').send('<!doctype html><title>Maintenance</title>')
      return 'answered'
    case 'wrong-shape':
      reply.send({ message: 'ok' })
      return 'answered'
    case 'rate-limited':
      sendProblem(reply.header('retry-after', retryAfterSeconds), 429, 'Simulated rate limit.')
      return 'answered'
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

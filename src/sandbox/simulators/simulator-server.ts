import { setTimeout as wait } from 'node:timers/promises'
import { Ajv } from 'ajv'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Fastify, { type FastifyInstance } from 'fastify'
import Type from 'typebox'
import type { Behaviour, BroadbandDatabaseOutcome, HomeTelecomOutcome } from '../../broadband/upstream-behaviour.ts'

type Outcome = HomeTelecomOutcome | BroadbandDatabaseOutcome

/** The name of the header that tells a simulator how to behave for this request. Real upstreams never receive it. */
const name = 'housebill-simulate'

/** The headers that make a simulated upstream behave in this way, e.g. `housebill-simulate: slow; seconds=2`. */
export function behaviourHeaders({ outcome, seconds }: Behaviour<Outcome>): Record<string, string> {
  return { [name]: seconds === null ? outcome : `${outcome}; seconds=${seconds}` }
}

/** The behaviour that a request asks for; undefined if it asks for none or for one that the simulator does not know. */
function readRequestedBehaviour(
  headers: Record<string, string | string[] | undefined>,
): { outcome: string; seconds: number } | undefined {
  const found = /^([a-z-]+)(?:; seconds=(\d))?$/.exec(String(headers[name] ?? ''))
  return found === null ? undefined : { outcome: found[1] ?? '', seconds: Number(found[2] ?? 0) }
}

/**
 * - `responded`: the response was sent or is deliberately withheld, so the route must do nothing more.
 * - `nothing-sold`: the route must respond that no broadband is available.
 * - `as-usual`: the route must respond normally.
 */
type FaultOutcome = 'responded' | 'nothing-sold' | 'as-usual'

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

/** The query parameters that identify a property. */
export const propertyQuery = {
  uprn: Type.String({ pattern: '^[0-9]{1,12}$' }),
  postcode: Type.String({ minLength: 6, maxLength: 8 }),
}

/**
 * The default delay of a slow simulator: long enough to notice, but well within the 10 seconds that a check may take.
 */
export const defaultSlowMilliseconds = 2_500

/** Shared by all simulators of a process, so that each schema is compiled once. */
const ajv = new Ajv({ coerceTypes: 'array', validateSchema: false })

/** A server without routes, which returns errors as `application/problem+json`. */
export function createSimulatorServer(): FastifyInstance {
  const server = Fastify()
  server.setValidatorCompiler<object>(({ schema }) => ajv.compile(schema))
  server.setErrorHandler<Error & { statusCode?: number }>((error, _request, reply) => {
    const status = error.statusCode ?? 500
    return sendProblem(reply, status, status < 500 ? error.message : 'The simulator failed.')
  })
  server.setNotFoundHandler((_request, reply) => sendProblem(reply, 404, 'No such path.'))
  return server
}

/** Sends the response of an upstream that is down. */
export function sendOutageResponse(reply: FastifyReply): FastifyReply {
  return sendProblem(reply, 500, 'Simulated outage.')
}

export function sendProblem(reply: FastifyReply, status: number, detail: string): FastifyReply {
  return reply.code(status).type('application/problem+json').send(JSON.stringify({ status, detail }))
}

export async function pause(milliseconds: number): Promise<void> {
  await wait(milliseconds)
}

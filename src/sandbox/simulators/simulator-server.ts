import { setTimeout as wait } from 'node:timers/promises'
import { Ajv } from 'ajv'
import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import Type from 'typebox'

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

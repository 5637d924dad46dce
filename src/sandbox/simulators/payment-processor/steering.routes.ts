import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ProcessorBehaviour } from '../../../payments/sandbox-processor.ts'
import { findIdempotentResponse } from './protocol/idempotent-responses.store.ts'
import { type FormFields, nestedFields, optionalText, rejectUnknown } from './protocol/parameters.ts'
import type { SimulatorParts } from './protocol/post-call.ts'
import { invalidRequest, StripeFault } from './protocol/stripe-fault.ts'
import { findProcessorBehaviour, isProcessorDownFor, upsertProcessorBehaviour } from './steering.store.ts'

interface SteeringRoute {
  Params: { partnerId: string }
}

/** Operations that no real processor has. They control how the simulator treats one partner's customers and intents. */
export function registerSteeringRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.get<SteeringRoute>('/control/steering/:partnerId', async (request) => {
    requireSecretKey(parts, request)
    return findProcessorBehaviour(parts.db, request.params.partnerId)
  })

  app.post<SteeringRoute>('/control/steering/:partnerId', async (request) => {
    requireSecretKey(parts, request)
    return upsertProcessorBehaviour(
      parts.db,
      request.params.partnerId,
      readSteering((request.body ?? {}) as FormFields),
    )
  })

  // What a call with this idempotency key did. After a crash, it cannot be repeated if its amount has changed since.
  app.get<{ Querystring: { key?: unknown } }>('/control/response', async (request) => {
    requireSecretKey(parts, request)
    const { key } = request.query
    const found = typeof key === 'string' ? await findIdempotentResponse(parts.db, key) : undefined
    const sealed = found?.response_encrypted ?? null
    return { response: sealed === null ? null : JSON.parse(parts.seal.open(sealed, String(key))) }
  })

  // Runs before every call. If the processor is set to be down, rejects the call as a failing processor would.
  app.addHook('preHandler', async (request) => {
    if (!request.url.startsWith('/v1/')) return
    const fields = (request.body ?? {}) as FormFields
    const { customer } = request.query as { customer?: unknown }
    const { id } = request.params as { id?: string }
    const partnerId = optionalText(nestedFields(fields, 'metadata'), 'housebill_partner_id')
    const objectIds = [id, customer, fields.customer, fields.payment_intent].filter((each) => typeof each === 'string')
    if (!(await isProcessorDownFor(parts.db, { partnerId, objectIds }))) return
    throw new StripeFault(503, { type: 'api_error', message: 'The payment simulator is set to be down.' })
  })
}

function readSteering(fields: FormFields): Partial<ProcessorBehaviour> {
  rejectUnknown(fields, ['delay_seconds', 'lost', 'down'])
  return {
    ...given('delaySeconds', delayIn(fields)),
    ...given('lost', yesOrNo(fields, 'lost')),
    ...given('down', yesOrNo(fields, 'down')),
  }
}

function given<Name extends keyof ProcessorBehaviour>(
  name: Name,
  value: ProcessorBehaviour[Name] | undefined,
): Partial<ProcessorBehaviour> {
  return value === undefined ? {} : { [name]: value }
}

function delayIn(fields: FormFields): number | undefined {
  const text = optionalText(fields, 'delay_seconds')
  if (text === undefined) return undefined
  if (/^\d{1,3}$/.test(text) && Number(text) <= 600) return Number(text)
  const param = 'delay_seconds'
  throw invalidRequest('Invalid delay_seconds: must be a whole number from 0 to 600.', { param })
}

function yesOrNo(fields: FormFields, name: string): boolean | undefined {
  const text = optionalText(fields, name)
  if (text === undefined) return undefined
  if (text === 'true' || text === 'false') return text === 'true'
  throw invalidRequest(`Invalid ${name}: must be one of true or false.`, { param: name })
}

function requireSecretKey(parts: SimulatorParts, { headers }: FastifyRequest): void {
  if (parts.credentials.authenticate(headers.authorization) === 'secret') return
  throw new StripeFault(401, { type: 'invalid_request_error', message: 'This call needs the secret key.' })
}

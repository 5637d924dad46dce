import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import { defaultProcessorBehaviour } from '../../../../payments/sandbox-processor.ts'
import { type Database, inTransaction, type Tx } from '../../../../platform/db/database.ts'
import { responseBody } from '../response-body.ts'
import type { Seal } from '../seal.ts'
import { deleteOldEvents, findProcessorBehaviour, insertEvent } from '../steering.store.ts'
import { insertOutgoingWebhook } from '../webhooks/outgoing-webhooks.store.ts'
import { type PublishedChange, type WebhookEvent, webhookEvent } from '../webhooks/webhook-event.ts'
import { type Credentials, type KeyKind, newProcessorId } from './credentials.ts'
import {
  deleteOldIdempotentResponses,
  findIdempotentResponse,
  insertIdempotencyKey,
  updateIdempotentResponse,
} from './idempotent-responses.store.ts'
import { emptyFields, type FormFields, rejectUnknown } from './parameters.ts'
import { invalidRequest, StripeFault, secretKeyRequired } from './stripe-fault.ts'

/** The response to a POST, and the changes for which events are sent. */
export interface SimulatorResponse {
  status: number
  body: object
  changes: readonly PublishedChange[]
}

type ReplayableResponse = SimulatorResponse & { replayed: boolean }

/**
 * The processor's `Idempotency-Key` rule: the first call with a key does the work; later identical calls get the same
 * response and change nothing; different requests are rejected. If a call fails before it changes anything, its key can
 * be used again.
 */
async function respondOnce(
  tx: Tx,
  seal: Seal,
  request: { key: string | undefined; fingerprint: string },
  work: () => Promise<SimulatorResponse>,
): Promise<ReplayableResponse> {
  const { key, fingerprint } = request
  if (key === undefined) return { ...(await work()), replayed: false }
  if (key.length === 0 || key.length > 255) throw invalidRequest('Idempotency-Key must have 1 to 255 characters.')

  if (!(await insertIdempotencyKey(tx, key, fingerprint))) return replay(tx, seal, key, fingerprint)
  await deleteOldIdempotentResponses(tx)
  const response = await work()
  await updateIdempotentResponse(
    tx,
    key,
    seal.seal(JSON.stringify({ status: response.status, body: response.body }), key),
  )
  return { ...response, replayed: false }
}

async function replay(tx: Tx, seal: Seal, key: string, fingerprint: string): Promise<ReplayableResponse> {
  const first = await findIdempotentResponse(tx, key)
  if (first === undefined || first.response_encrypted === null) {
    throw new StripeFault(409, {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: 'There is currently another in-progress request using this idempotency key. Try again shortly.',
    })
  }
  if (first.fingerprint !== fingerprint) {
    throw new StripeFault(400, {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same endpoint and parameters they were first used with. ' +
        'Try using a key other than the one passed if you meant to execute a different request.',
    })
  }
  const response = JSON.parse(seal.open(first.response_encrypted, key)) as { status: number; body: object }
  return { ...response, changes: [], replayed: true }
}

/** The dependencies of the simulator's routes. */
export interface SimulatorParts {
  db: Database
  credentials: Credentials
  seal: Seal
  /** Makes the sender look for events to send. Call it whenever events have been queued. */
  wakeSender(): void
  log: FastifyBaseLogger
}

/** A POST as its route sees it: the kind of key, the id in the path ('' if there is none) and the form fields. */
export interface PostCall {
  keyKind: KeyKind
  id: string
  fields: FormFields
  now: Date
  /** The `Stripe-Version` header (a date and a release name), if the caller sent one. */
  apiVersion: string | undefined
}

interface PostRoute {
  parameters: readonly string[]
  /** Whether a browser with the intent's client secret may make this call. */
  publishable: boolean
  work(tx: Tx, call: PostCall): Promise<SimulatorResponse>
}

/**
 * Handles a POST: checks the key and the parameters, applies idempotency, and commits the work and its events in one
 * transaction.
 */
export function postHandler(parts: SimulatorParts, route: PostRoute) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const keyKind = parts.credentials.authenticate(request.headers.authorization)
    const apiVersion = headerText(request.headers['stripe-version'])
    const call = { keyKind, id: idIn(request), fields: fieldsIn(request), now: new Date(), apiVersion }
    const key = headerText(request.headers['idempotency-key'])
    if (key !== undefined) reply.header('idempotency-key', key)
    try {
      if (keyKind === 'publishable') requirePublishable(parts, route, call)
      rejectUnknown(call.fields, route.parameters)
      const response = await inTransaction(parts.db, {}, async (tx) => {
        const fingerprint = fingerprintOf(parts, request, call)
        const once = await respondOnce(tx, parts.seal, { key, fingerprint }, () => route.work(tx, call))
        for (const change of once.changes) await publish(tx, parts, change, key)
        return once
      })
      if (response.changes.length > 0) parts.wakeSender()
      if (response.replayed) reply.header('idempotent-replayed', 'true')
      return reply.code(response.status).send(responseBody(parts.credentials, keyKind, response.body))
    } catch (error) {
      if (!(error instanceof StripeFault)) throw error
      return reply.code(error.status).send(responseBody(parts.credentials, keyKind, { error: error.error }))
    }
  }
}

async function publish(tx: Tx, parts: SimulatorParts, change: PublishedChange, idempotencyKey: string | undefined) {
  const event: WebhookEvent = webhookEvent(change, { idempotencyKey }, new Date())
  await insertEvent(tx, event)
  await deleteOldEvents(tx)
  const steering =
    event.partnerId === undefined ? defaultProcessorBehaviour : await findProcessorBehaviour(tx, event.partnerId)
  if (!steering.lost) return insertOutgoingWebhook(tx, event, steering)
  parts.log.warn({ eventId: event.id, eventType: event.type }, 'payment simulator dropped a webhook')
}

export function newRequestId(): string {
  return newProcessorId('req')
}

function requirePublishable(parts: SimulatorParts, route: PostRoute, { id, fields }: PostCall): void {
  if (!route.publishable) throw secretKeyRequired()
  const given = fields.client_secret
  parts.credentials.requireClientSecret(id, typeof given === 'string' ? given : undefined)
}

/**
 * The fingerprint of a call. It leaves out the security code and all but the last four digits of the card number,
 * because these may not be stored, even hashed.
 */
function fingerprintOf(parts: SimulatorParts, request: FastifyRequest, call: PostCall): string {
  const shown = JSON.stringify(call.fields, (name, value: unknown) => {
    if (name === 'number' && typeof value === 'string') return value.slice(-4)
    return name === 'cvc' ? undefined : value
  })
  return parts.credentials.fingerprint(`${request.method} ${request.routeOptions.url ?? ''} ${call.id} ${shown}`)
}

function idIn(request: FastifyRequest): string {
  const { id } = request.params as { id?: string }
  return id ?? ''
}

function fieldsIn(request: FastifyRequest): FormFields {
  return (request.body as FormFields | undefined) ?? emptyFields()
}

function headerText(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value
}

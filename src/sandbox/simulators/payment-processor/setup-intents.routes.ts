import type { FastifyInstance } from 'fastify'
import type { Tx } from '../../../platform/db/database.ts'
import { readCardAttempt } from './card-attempt.ts'
import { customerResponse, findCustomer, findPaymentMethod, insertPaymentMethod } from './customers.store.ts'
import {
  type FormFields,
  metadataOf,
  nestedFields,
  optionalText,
  readListQuery,
  requiredText,
} from './protocol/parameters.ts'
import { type PostCall, postHandler, type SimulatorParts, type SimulatorResponse } from './protocol/post-call.ts'
import { invalidRequest, noSuchObject, secretKeyRequired } from './protocol/stripe-fault.ts'
import { setupIntentResponse } from './response-body.ts'
import {
  cancelSetupIntent,
  completeAuthentication,
  confirmSetupIntent,
  newSetupIntent,
  type PendingAuthentication,
  type SetupIntentChange,
  type StoredSetupIntent,
} from './setup-intent.ts'
import {
  findSetupIntent,
  insertSetupIntent,
  listSetupIntents,
  lockSetupIntent,
  updateSetupIntent,
} from './setup-intents.store.ts'

type Step = (intent: StoredSetupIntent, pending: PendingAuthentication | null, call: PostCall) => SetupIntentChange

export function registerSetupIntentRoutes(app: FastifyInstance, parts: SimulatorParts): void {
  app.post(
    '/v1/setup_intents',
    postHandler(parts, {
      parameters: [
        'allowed_payment_method_types',
        'customer',
        'description',
        'metadata',
        'payment_method_types',
        'usage',
      ],
      publishable: false,
      work: async (tx, { fields, now, apiVersion }) => {
        const customer = optionalText(fields, 'customer') ?? null
        if (customer !== null && (await findCustomer(tx, parts.seal, customer)) === undefined) {
          throw noSuchObject('customer', customer, 'customer', 400)
        }
        rejectOtherThanCards(fields, apiVersion)
        const description = optionalText(fields, 'description') ?? null
        const change = newSetupIntent(
          { customer, description, metadata: metadataOf(fields), usage: usageOf(fields) },
          now,
        )
        await insertSetupIntent(tx, change)
        return respond(200, change)
      },
    }),
  )

  app.get<{ Querystring: { customer?: unknown; limit?: unknown } }>('/v1/setup_intents', async (request) => {
    if (parts.credentials.authenticate(request.headers.authorization) !== 'secret') throw secretKeyRequired()
    const { customer, limit } = readListQuery(request.query, 'setup intents')
    const found = await listSetupIntents(parts.db, customer, limit)
    const data = found.map((intent) => setupIntentResponse(parts.credentials, 'secret', intent))
    return { object: 'list', url: '/v1/setup_intents', has_more: false, data }
  })

  app.get<{ Params: { id: string }; Querystring: { client_secret?: unknown } }>(
    '/v1/setup_intents/:id',
    async (request) => {
      const keyKind = parts.credentials.authenticate(request.headers.authorization)
      const { id } = request.params
      const given = request.query.client_secret
      if (keyKind === 'publishable')
        parts.credentials.requireClientSecret(id, typeof given === 'string' ? given : undefined)
      const intent = await findSetupIntent(parts.db, id)
      if (intent === undefined) throw noSuchObject('setupintent', id, 'intent', 404)
      const response = setupIntentResponse(parts.credentials, keyKind, intent)
      if (keyKind !== 'secret') return response
      const withCustomer = isExpanded(request.query, 'customer')
        ? await expandCustomer(parts, intent, response)
        : response
      return isExpanded(request.query, 'payment_method') ? expandCard(parts, intent, withCustomer) : withCustomer
    },
  )

  app.post(
    '/v1/setup_intents/:id/confirm',
    postHandler(parts, {
      parameters: ['client_secret', 'payment_method', 'payment_method_data', 'return_url', 'use_stripe_sdk'],
      publishable: true,
      work: (tx, call) =>
        take(tx, call, (intent, _pending, { fields, now }) => confirmSetupIntent(intent, readCardAttempt(fields, now))),
    }),
  )

  // Only in the simulator: reports the outcome of 3-D Secure, as the bank's page would report it to the processor.
  app.post(
    '/v1/setup_intents/:id/verify',
    postHandler(parts, {
      parameters: ['client_secret', 'outcome'],
      publishable: true,
      work: async (tx, call) => {
        const taken = await take(tx, call, (intent, pending, { fields }) =>
          completeAuthentication(intent, pending, authenticationOutcome(fields)),
        )
        // Even if the card is declined, this call returns the intent to the customer's browser with status 200.
        const [change] = taken.changes
        return change === undefined ? taken : { ...taken, status: 200, body: change.object }
      },
    }),
  )

  app.post(
    '/v1/setup_intents/:id/cancel',
    postHandler(parts, {
      parameters: ['cancellation_reason'],
      publishable: false,
      work: (tx, call) =>
        take(tx, call, (intent, _pending, { fields }) => cancelSetupIntent(intent, cancellationReason(fields))),
    }),
  )
}

/** Whether the query asks for this object, in either form of a list. */
function isExpanded(query: object, object: string): boolean {
  return Object.entries(query).some(([name, value]) => /^expand\[\d*\]$/.test(name) && value === object)
}

/** A customer that was deleted is shown as such. */
async function expandCustomer(parts: SimulatorParts, { customer: id }: StoredSetupIntent, response: object) {
  if (id === null) return response
  const customer = await findCustomer(parts.db, parts.seal, id)
  const deleted = { id, object: 'customer', deleted: true }
  return { ...response, customer: customer === undefined ? deleted : customerResponse(customer) }
}

async function expandCard(parts: SimulatorParts, { payment_method: id }: StoredSetupIntent, response: object) {
  const attached = id === null ? undefined : await findPaymentMethod(parts.db, id)
  if (attached === undefined) return response
  const { card, customer } = attached
  return { ...response, payment_method: { id, object: 'payment_method', type: 'card', customer, card } }
}

async function take(tx: Tx, call: PostCall, step: Step): Promise<SimulatorResponse> {
  const held = await lockSetupIntent(tx, call.id)
  if (held === undefined) throw noSuchObject('setupintent', call.id, 'intent', 404)
  const change = step(held.intent, held.pending, call)
  await updateSetupIntent(tx, change)
  if (change.attached !== undefined) await insertPaymentMethod(tx, change.attached)
  return respond(200, change)
}

/**
 * The response to a change. A declined card gets the processor's 402 with the intent inside; the change still takes
 * effect.
 */
function respond(status: number, change: SetupIntentChange): SimulatorResponse {
  const decline = change.event === 'setup_intent.setup_failed' ? change.intent.last_setup_error : null
  const changes = [{ event: change.event, object: change.intent }]
  if (decline === null) return { status, body: change.intent, changes }
  return { status: 402, body: { error: { ...decline, setup_intent: change.intent } }, changes }
}

/**
 * Rejects payment methods other than cards. API version 2026-09-30 replaced `payment_method_types` with
 * `allowed_payment_method_types`.
 */
function rejectOtherThanCards(fields: FormFields, apiVersion: string | undefined): void {
  if (apiVersion !== undefined && apiVersion >= '2026-09-30' && fields.payment_method_types !== undefined) {
    throw invalidRequest('payment_method_types is no longer supported. Use allowed_payment_method_types.', {
      code: 'payment_method_types_no_longer_supported',
      param: 'payment_method_types',
    })
  }
  for (const param of ['allowed_payment_method_types', 'payment_method_types']) {
    const types = Object.values(nestedFields(fields, param))
    if (types.some((type) => type !== 'card'))
      throw invalidRequest('The payment simulator accepts only cards.', { param })
  }
}

function usageOf(fields: FormFields): 'off_session' | 'on_session' {
  const usage = optionalText(fields, 'usage') ?? 'off_session'
  if (usage === 'off_session' || usage === 'on_session') return usage
  throw invalidRequest('Invalid usage: must be one of off_session or on_session.', { param: 'usage' })
}

function authenticationOutcome(fields: FormFields): 'authenticated' | 'failed' {
  const outcome = requiredText(fields, 'outcome')
  if (outcome === 'authenticated' || outcome === 'failed') return outcome
  throw invalidRequest('Invalid outcome: must be one of authenticated or failed.', { param: 'outcome' })
}

function cancellationReason(fields: FormFields): string | null {
  const reason = optionalText(fields, 'cancellation_reason') ?? null
  if (reason === null || ['abandoned', 'duplicate', 'requested_by_customer'].includes(reason)) return reason
  throw invalidRequest('Invalid cancellation_reason: must be one of abandoned, duplicate or requested_by_customer.', {
    param: 'cancellation_reason',
  })
}

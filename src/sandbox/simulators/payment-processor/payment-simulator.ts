import Fastify, { type FastifyBaseLogger, type FastifyError, type FastifyInstance, LogController } from 'fastify'
import type { Database } from '../../../platform/db/database.ts'
import { registerCustomerRoutes } from './customers.routes.ts'
import { registerPaymentIntentRoutes } from './payment-intents.routes.ts'
import { createCredentials } from './protocol/credentials.ts'
import { parseFormBody } from './protocol/parameters.ts'
import { newRequestId } from './protocol/post-call.ts'
import { type StripeErrorBody, StripeFault } from './protocol/stripe-fault.ts'
import { registerReversalRoutes } from './reversals.routes.ts'
import { createSeal } from './seal.ts'
import { registerSetupIntentRoutes } from './setup-intents.routes.ts'
import { registerSteeringRoutes } from './steering.routes.ts'
import { registerEventRoutes } from './webhooks/events.routes.ts'
import { startOutgoingWebhookSender } from './webhooks/outgoing-webhook-sender.ts'

/**
 * The sandbox's payment processor. Over HTTP, it serves the part of the Stripe API that card set-up and collections
 * use; its state is in the schema `simulated_processor`. It accepts only test cards and stores only their brand, last
 * four digits and expiry.
 *
 * `secretKey` must stay the same for a database, because client secrets are derived from it and it encrypts personal
 * data. Events are listed for 30 days and sent to `webhookUrl`, signed with `webhookSecret`; without a URL they are
 * only listed. Webhooks that are still pending at `close()` are sent when a simulator next runs on the database.
 * Requests are not logged, because a URL may contain a client secret and a body may contain a card number.
 */
export function buildPaymentSimulator(options: {
  db: Database
  secretKey: string
  webhookUrl: string | undefined
  webhookSecret: string
  log: FastifyBaseLogger
}): FastifyInstance {
  const { db, secretKey, webhookUrl, webhookSecret, log } = options
  const app: FastifyInstance = Fastify({
    loggerInstance: log,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: newRequestId,
    bodyLimit: 64 * 1024,
    ajv: { customOptions: { removeAdditional: false, coerceTypes: false } },
    forceCloseConnections: true,
  })
  const sender =
    webhookUrl === undefined
      ? undefined
      : startOutgoingWebhookSender({ db, url: webhookUrl, secret: webhookSecret, log })
  const parts = {
    db,
    credentials: createCredentials(secretKey),
    seal: createSeal(secretKey),
    wakeSender: () => sender?.wake(),
    log,
  }

  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: unknown, body: string) => parseFormBody(body),
  )
  app.addHook('onRequest', async (request, reply) => {
    reply.header('request-id', request.id).header('cache-control', 'no-store')
  })
  app.addHook('onClose', () => sender?.stop())
  app.setNotFoundHandler((request, reply) =>
    reply.code(404).send({
      error: {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${request.url.split('?', 1)[0]}).`,
      } satisfies StripeErrorBody,
    }),
  )
  app.setErrorHandler((error: FastifyError, request, reply) => {
    if (error instanceof StripeFault) return reply.code(error.status).send({ error: error.error })
    if (error.statusCode !== undefined && error.statusCode < 500) {
      // A parser's message may quote its input; a schema validator's message never does.
      const message = error.validation === undefined ? 'The request body or its headers cannot be read.' : error.message
      return reply
        .code(error.statusCode)
        .send({ error: { type: 'invalid_request_error', message } satisfies StripeErrorBody })
    }
    log.error({ err: error, requestId: request.id, route: request.routeOptions.url }, 'payment simulator failed')
    return reply
      .code(500)
      .send({ error: { type: 'api_error', message: 'The payment simulator failed; its log says why.' } })
  })

  registerCustomerRoutes(app, parts)
  registerSetupIntentRoutes(app, parts)
  registerPaymentIntentRoutes(app, parts)
  registerReversalRoutes(app, parts)
  registerEventRoutes(app, parts)
  registerSteeringRoutes(app, parts)
  return app
}

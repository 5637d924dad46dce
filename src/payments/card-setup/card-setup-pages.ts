import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type CardSetupState, callProcessor } from './browser-calls-to-processor.ts'
import { readAuthenticateInput, readClientSecret, readConfirmInput } from './card-setup-input.ts'
import { cardSetupPage } from './card-setup-page.ts'
import { newNonce, setPageHeaders, setPrivacyHeaders } from './page-security.ts'

const assets = new URL('./assets/', import.meta.url)
const styleSheets = ['page.css', 'card-setup.css'] as const
const scripts = ['card-setup.js', 'card-fields.js', 'card-views.js'] as const

interface CardSetupPagesOptions {
  /** The payment simulator's address, e.g. `http://127.0.0.1:4242`. */
  simulatorBaseUrl: string | URL
  /** The simulator's publishable key: the page has no more rights than a tenant's browser. */
  publishableKey: string
}

interface IntentRoute {
  Params: { setupIntentId: string }
}

/**
 * The hosted card page of a sandbox, at `/sandbox/card-setup/<setupIntentId>#client_secret=<clientSecret>`. Servers
 * never see the fragment; the page sends the secret in request bodies. Must not be registered in a live deployment.
 */
export async function registerCardSetupPages(app: FastifyInstance, options: CardSetupPagesOptions): Promise<void> {
  const access = { simulatorBaseUrl: new URL(options.simulatorBaseUrl), publishableKey: options.publishableKey }
  const styles = await Promise.all(styleSheets.map((name) => readFile(new URL(name, assets), 'utf8')))
  const css = styles.join('')
  const sources = new Map<string, string>()
  for (const name of scripts) sources.set(name, await readFile(new URL(name, assets), 'utf8'))
  const ask = (
    request: FastifyRequest<IntentRoute>,
    step: string,
    method: 'GET' | 'POST',
    form: Record<string, string>,
  ) =>
    callProcessor(access, `/v1/setup_intents/${encodeURIComponent(request.params.setupIntentId)}${step}`, method, form)

  app.get<{ Params: { name: string } }>('/sandbox/card-setup/assets/:name', (request, reply) => {
    const source = sources.get(request.params.name)
    if (source === undefined) return reply.callNotFound()
    return setPrivacyHeaders(reply).type('text/javascript; charset=utf-8').send(source)
  })

  app.get<IntentRoute>('/sandbox/card-setup/:setupIntentId', (request, reply) => {
    const { setupIntentId } = request.params
    if (!/^seti_\w{1,100}$/.test(setupIntentId)) return reply.callNotFound()
    const nonce = newNonce()
    return setPageHeaders(reply, nonce).send(cardSetupPage({ setupIntentId, nonce, css }).markup)
  })

  app.post<IntentRoute>('/sandbox/card-setup/:setupIntentId/state', async (request, reply) => {
    const clientSecret = readClientSecret(request.body)
    if (clientSecret === undefined) return rejectInput(reply)
    return respond(reply, () => ask(request, '', 'GET', { client_secret: clientSecret }))
  })

  app.post<IntentRoute>('/sandbox/card-setup/:setupIntentId/confirm', async (request, reply) => {
    const input = readConfirmInput(request.body)
    if (input === undefined) return rejectInput(reply)
    const form = {
      client_secret: input.clientSecret,
      'payment_method_data[type]': 'card',
      'payment_method_data[card][number]': input.card.number,
      'payment_method_data[card][exp_month]': input.card.expMonth,
      'payment_method_data[card][exp_year]': input.card.expYear,
      'payment_method_data[card][cvc]': input.card.cvc,
    }
    return respond(reply, () => ask(request, '/confirm', 'POST', form))
  })

  app.post<IntentRoute>('/sandbox/card-setup/:setupIntentId/authenticate', async (request, reply) => {
    const input = readAuthenticateInput(request.body)
    if (input === undefined) return rejectInput(reply)
    const form = { client_secret: input.clientSecret, outcome: input.outcome }
    return respond(reply, () => ask(request, '/verify', 'POST', form))
  })
}

/** A declined card returns 200 like a success; only an unknown link or an unavailable processor is an error. */
async function respond(reply: FastifyReply, ask: () => Promise<CardSetupState | null>): Promise<FastifyReply> {
  setPrivacyHeaders(reply)
  try {
    const state = await ask()
    if (state !== null) return reply.send(state)
    return reply.code(404).send({ message: 'This link does not work. Ask for a new one.' })
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'service_unavailable') throw error
    reply.log.warn(
      { cause: error.cause instanceof Error ? error.cause.message : undefined },
      'card set-up page cannot reach the payment simulator',
    )
    return reply
      .code(503)
      .header('retry-after', String(error.retryAfterSeconds ?? 2))
      .send({ message: error.message })
  }
}

function rejectInput(reply: FastifyReply): FastifyReply {
  return setPrivacyHeaders(reply)
    .code(400)
    .send({ message: 'The page sent an incomplete request. Reload the page and try again.' })
}

import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../platform/kernel/errors.ts'
import { type CardSetupState, callProcessor } from './browser-calls-to-processor.ts'
import { cardSetupPage } from './card-setup-page.ts'

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

/** The bodies the page sends. Parsed by hand, so that no error message can quote a card number. */
interface ConfirmInput {
  clientSecret: string
  card: { number: string; expMonth: string; expYear: string; cvc: string }
}

interface AuthenticateInput {
  clientSecret: string
  outcome: 'authenticated' | 'failed'
}

/** Reads the client secret from a request body. Returns undefined if it is missing or its length is implausible. */
function readClientSecret(body: unknown): string | undefined {
  return textIn(body, 'clientSecret', 300)
}

function readConfirmInput(body: unknown): ConfirmInput | undefined {
  const clientSecret = readClientSecret(body)
  const card = isRecord(body) ? body.card : undefined
  const number = textIn(card, 'number', 30)
  const expMonth = textIn(card, 'expMonth', 4)
  const expYear = textIn(card, 'expYear', 4)
  const cvc = textIn(card, 'cvc', 8)
  if (clientSecret === undefined || number === undefined || expMonth === undefined) return undefined
  if (expYear === undefined || cvc === undefined) return undefined
  return { clientSecret, card: { number, expMonth, expYear, cvc } }
}

function readAuthenticateInput(body: unknown): AuthenticateInput | undefined {
  const clientSecret = readClientSecret(body)
  const outcome = textIn(body, 'outcome', 20)
  if (clientSecret === undefined || (outcome !== 'authenticated' && outcome !== 'failed')) return undefined
  return { clientSecret, outcome }
}

function textIn(body: unknown, name: string, maxLength: number): string | undefined {
  const value = isRecord(body) ? body[name] : undefined
  return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** A nonce for the inline script and style of one response. */
function newNonce(): string {
  return randomBytes(18).toString('base64')
}

/** Sets the headers of every card page response: no caching, no content sniffing, no referrer. */
function setPrivacyHeaders(reply: FastifyReply): FastifyReply {
  return reply
    .header('cache-control', 'no-store')
    .header('referrer-policy', 'no-referrer')
    .header('x-content-type-options', 'nosniff')
    .header('x-robots-tag', 'noindex, nofollow')
}

/**
 * Sets the page's headers. They let it use only its own script and style sheet, connect only to this server, and submit
 * forms only by script (a card number must never end up in a URL). They also forbid other pages from showing it in a
 * frame.
 */
function setPageHeaders(reply: FastifyReply, nonce: string): FastifyReply {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return setPrivacyHeaders(reply)
    .header('content-security-policy', policy)
    .header('cross-origin-opener-policy', 'same-origin')
    .header('permissions-policy', 'camera=(), geolocation=(), microphone=()')
    .type('text/html; charset=utf-8')
}

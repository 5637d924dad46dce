import { Agent } from 'undici'
import { assertNoOpenTransaction } from '../../platform/db/open-transaction.ts'
import type { WebhookRequest, WebhookResponse, WebhookSender } from '../egress/webhook-sender.ts'
import { parseWebhookUrl } from '../egress/webhook-url.ts'
import { Exchange } from './exchange.ts'
import { type ConnectOptions, pinnedConnector } from './pinned-connect.ts'

export interface SenderOptions extends ConnectOptions {
  /**
   * How long a connection may be used for new requests after its address was checked and it was opened. Defaults to one
   * minute.
   */
  connectionLifeMs?: number
}

/**
 * POSTs to receivers over HTTP/1.1 with undici, one request at a time per connection. Redirects are returned, not
 * followed. Connections are closed after a few idle seconds, or after at most a minute when busy. The name is then
 * resolved and its addresses are checked again, so that DNS changes and newly forbidden addresses take effect.
 */
export function createWebhookSender({ connectionLifeMs = 60_000, ...options }: SenderOptions): WebhookSender {
  const agent = new Agent({
    connect: pinnedConnector(options),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    // Applies even if a receiver would keep connections open for longer.
    keepAliveMaxTimeout: 4_000,
    clientTtl: connectionLifeMs,
    // The request's own time limit covers the whole exchange instead.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const destinations = new Destinations()
  const abandonable = new OpenExchanges()
  return {
    send: async (request, signal) => send(agent, destinations, request, abandonable.under(signal)),
    close: () => agent.destroy(),
  }
}

async function send(
  agent: Agent,
  destinations: Destinations,
  { url, headers, body, timeoutMs }: WebhookRequest,
  open: Set<Exchange>,
): Promise<WebhookResponse> {
  assertNoOpenTransaction('a webhook receiver')
  const destination = destinations.of(url)
  if (typeof destination === 'string')
    return { status: null, body: Buffer.alloc(0), retryAfter: undefined, error: destination }
  const exchange = new Exchange(timeoutMs, open)
  agent.dispatch({ ...destination, method: 'POST', headers, body }, exchange)
  return exchange.answer
}

/**
 * The open exchanges of each abort signal. They share one listener on the signal, because thousands start and end every
 * second.
 */
class OpenExchanges {
  readonly #open = new WeakMap<AbortSignal, Set<Exchange>>()

  /** The open exchanges that this signal would abort. Throws the signal's reason if it has already aborted. */
  under(signal: AbortSignal): Set<Exchange> {
    signal.throwIfAborted()
    const known = this.#open.get(signal)
    if (known !== undefined) return known
    const open = new Set<Exchange>()
    this.#open.set(signal, open)
    const abandonAll = () => {
      for (const exchange of [...open]) exchange.abandon(signal.reason)
    }
    signal.addEventListener('abort', abandonAll, { once: true })
    return open
  }
}

interface Destination {
  origin: string
  path: string
}

const maxCached = 1_000

/** Caches the parsed target of each URL, or the reason why it is not allowed, across deliveries. */
class Destinations {
  readonly #known = new Map<string, Destination | string>()

  of(url: string): Destination | string {
    const known = this.#known.get(url)
    if (known !== undefined) return known
    const { target, rejection } = parseWebhookUrl(url)
    const read = rejection ?? { origin: target.url.origin, path: target.url.pathname + target.url.search }
    if (this.#known.size >= maxCached) this.#known.clear()
    this.#known.set(url, read)
    return read
  }
}

import { Agent } from 'undici'
import { refuseInsideTransaction } from '../../db/open-transaction.ts'
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../domain/webhooks/egress/webhook-sender.ts'
import { parseWebhookUrl } from '../../domain/webhooks/egress/webhook-url.ts'
import { Exchange } from './exchange.ts'
import { type ConnectOptions, pinnedConnector } from './pinned-connect.ts'

export interface SenderOptions extends ConnectOptions {
  /** How long after its connect, and so after its address was judged, a connection takes new requests; a minute unless given. */
  connectionLifeMs?: number
}

/**
 * POSTs to receivers over HTTP/1.1 with undici, one request at a time over each connection. Redirects come back as answers,
 * as undici follows none by itself. Connections are kept for a few idle seconds, and however busy for a minute at most:
 * then the name is looked up and its addresses are judged again, so that a changed DNS record is followed and an address
 * that may no longer be contacted is left.
 */
export function createWebhookSender({ connectionLifeMs = 60_000, ...options }: SenderOptions): WebhookSender {
  const agent = new Agent({
    connect: pinnedConnector(options),
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: 4_000,
    // Also where a receiver would keep them longer.
    keepAliveMaxTimeout: 4_000,
    clientTtl: connectionLifeMs,
    // One clock for the whole exchange instead: the request's own time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  const destinations = new Destinations()
  const abandonable = new Abandonable()
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
): Promise<WebhookAnswer> {
  refuseInsideTransaction('a webhook receiver')
  const destination = destinations.of(url)
  if (typeof destination === 'string')
    return { status: null, body: Buffer.alloc(0), retryAfter: undefined, error: destination }
  const exchange = new Exchange(timeoutMs, open)
  agent.dispatch({ ...destination, method: 'POST', headers, body }, exchange)
  return exchange.answer
}

/** The open exchanges of each signal that may abandon them: one listener for all, as thousands a second come and go. */
class Abandonable {
  readonly #open = new WeakMap<AbortSignal, Set<Exchange>>()

  /** Those of this signal. Throws its reason where it is aborted already. */
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

const mostRemembered = 1_000

/** Where each URL leads by its spelling, or why it may not be used; read once for many deliveries. */
class Destinations {
  readonly #known = new Map<string, Destination | string>()

  of(url: string): Destination | string {
    const known = this.#known.get(url)
    if (known !== undefined) return known
    const { target, refusal } = parseWebhookUrl(url)
    const read = refusal ?? { origin: target.url.origin, path: target.url.pathname + target.url.search }
    if (this.#known.size >= mostRemembered) this.#known.clear()
    this.#known.set(url, read)
    return read
  }
}

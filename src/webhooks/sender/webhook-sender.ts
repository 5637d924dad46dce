import { Agent, type Dispatcher } from 'undici'
import { assertNoOpenTransaction } from '../../platform/db/open-transaction.ts'
import { type ConnectOptions, pinnedConnector, TargetRejected } from './pinned-connect.ts'
import { parseWebhookUrl } from './webhook-target.ts'

/** One POST to a receiver, signed and ready. */
export interface WebhookRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string
  /** The time limit from the lookup of the name to the last byte of the response. */
  timeoutMs: number
}

/**
 * The response, complete unless there is an `error`. With an error, `status` is null unless the status had already
 * arrived.
 */
export interface WebhookResponse {
  status: number | null
  /** At most the first 64 KiB; a longer response is cut off, not rejected. */
  body: Buffer
  retryAfter: string | undefined
  /** Tells the partner why the response is missing or incomplete; null if it is complete. */
  error: string | null
}

/** Sends to receivers under the egress rules (`EgressRules`): permitted addresses only, over TLS, no redirects. */
export interface WebhookSender {
  /** Never rejects because of the receiver or the network. */
  send(request: WebhookRequest): Promise<WebhookResponse>
  /** Ends requests that are still being sent. */
  close(): Promise<void>
}

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
  return {
    send: (request) => send(agent, request),
    close: () => agent.destroy(),
  }
}

async function send(agent: Agent, { url, headers, body, timeoutMs }: WebhookRequest): Promise<WebhookResponse> {
  assertNoOpenTransaction('a webhook receiver')
  const { target, rejection } = parseWebhookUrl(url)
  if (rejection !== undefined) return { status: null, body: Buffer.alloc(0), retryAfter: undefined, error: rejection }
  const exchange = new Exchange(timeoutMs)
  const { origin, pathname, search } = target.url
  agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, exchange)
  return exchange.response
}

const maxResponseBytes = 64 * 1_024

/**
 * The reason given when a request is aborted. Nobody sees it, because the outcome of the request is already known by
 * then.
 */
const over = new Error('the exchange is over')

/**
 * Handles one POST and its response, which comes directly from undici's parser. Keeps the status and at most 64 KiB of
 * the body, and closes the connection if more follows. One timer covers everything from the name lookup to the last
 * byte; undici's own timers do not cover the wait for a connection, and undici can abort a request only once it has a
 * connection.
 */
class Exchange implements Dispatcher.DispatchHandler {
  /** Never rejects. */
  readonly response: Promise<WebhookResponse>
  readonly #settle: PromiseWithResolvers<WebhookResponse>
  readonly #timeoutMs: number
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #status: number | null = null
  #retryAfter: string | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0

  constructor(timeoutMs: number) {
    this.#settle = Promise.withResolvers<WebhookResponse>()
    this.response = this.#settle.promise
    this.#timeoutMs = timeoutMs
    this.#timer = setTimeout(this.#expire, timeoutMs)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    if (this.#isOver) controller.abort(over)
    else this.#controller = controller
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return
    this.#status = status
    const header = headers['retry-after']
    this.#retryAfter = Array.isArray(header) ? header[0] : header
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk.subarray(0, maxResponseBytes - this.#bytes))
    this.#bytes += chunk.length
    if (this.#bytes < maxResponseBytes) return
    this.#finish(null)
    this.#controller?.abort(over)
  }

  /**
   * Ends the exchange one turn of the event loop later, after undici has freed the connection. Otherwise, a request
   * that followed immediately would open a second connection.
   */
  onResponseEnd(): void {
    queueMicrotask(() => setImmediate(() => this.#finish(null)))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(describeSendFailure(error))
  }

  readonly #expire = (): void => {
    const seconds = this.#timeoutMs / 1_000
    const words = this.#status === null ? 'No response arrived' : 'The response was not complete'
    this.#finish(`${words} within ${seconds} seconds.`)
    this.#controller?.abort(over)
  }

  #finish(error: string | null): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#settle.resolve({
      status: this.#status,
      body: Buffer.concat(this.#chunks),
      retryAfter: this.#retryAfter,
      error,
    })
  }
}

const words: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused: nothing is listening at this address.',
  ECONNRESET: 'The receiver closed the connection before it responded.',
  EPIPE: 'The receiver closed the connection before it responded.',
  UND_ERR_SOCKET: 'The receiver closed the connection before it responded.',
  ENETUNREACH: 'The receiver cannot be reached: there is no route to its network.',
  EHOSTUNREACH: 'The receiver cannot be reached: there is no route to its host.',
  ETIMEDOUT: 'The connection timed out.',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out.',
  UND_ERR_HEADERS_OVERFLOW: 'The response headers are too long.',
  EPROTO: 'The TLS handshake with the receiver failed.',
  ERR_TLS_CERT_ALTNAME_INVALID: "The receiver's TLS certificate is for a different host name.",
  CERT_HAS_EXPIRED: "The receiver's TLS certificate has expired.",
  DEPTH_ZERO_SELF_SIGNED_CERT: "The receiver's TLS certificate is self-signed.",
  SELF_SIGNED_CERT_IN_CHAIN: "The receiver's TLS certificate comes from an authority that is not trusted.",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "The receiver's TLS certificate comes from an authority that is not trusted.",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The receiver does not send the intermediate certificates of its TLS certificate.',
}

/** Describes a failure below HTTP for the partner's developer. Never includes addresses of the operator's network. */
function describeSendFailure(error: unknown): string {
  if (error instanceof TargetRejected) return error.message
  const code = codeOf(error)
  if (code === undefined) return 'The request failed.'
  if (code.startsWith('HPE_')) return 'The response was not valid HTTP.'
  if (code.startsWith('ERR_SSL_')) return 'The TLS handshake with the receiver failed.'
  return words[code] ?? `The request failed (${code}).`
}

/**
 * The system code, such as `ECONNREFUSED`. If several addresses were tried in turn, the code is in the errors of an
 * AggregateError.
 */
function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { code } = error as NodeJS.ErrnoException
  if (code !== undefined) return code
  return error instanceof AggregateError ? codeOf(error.errors[0]) : undefined
}

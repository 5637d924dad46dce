import type { Dispatcher } from 'undici'
import type { WebhookResponse } from '../../domain/webhooks/egress/webhook-sender.ts'
import { describeSendFailure } from './describe-failure.ts'

const maxResponseBytes = 64 * 1_024

/** The reason given when a request is aborted. Nobody sees it, because the outcome of the request is already known by then. */
const over = new Error('the exchange is over')

/**
 * Handles one POST and its response, which comes directly from undici's parser. Keeps the status and at most 64 KiB of the body,
 * and closes the connection if more follows. One timer covers everything from the name lookup to the last byte; undici's own timers
 * do not cover the wait for a connection, and undici can abort a request only once it has a connection.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The response. Rejects only if the exchange is abandoned. */
  readonly answer: Promise<WebhookResponse>
  readonly #settle: PromiseWithResolvers<WebhookResponse>
  readonly #timeoutMs: number
  readonly #open: Set<Exchange>
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #status: number | null = null
  #retryAfter: string | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0

  /** Adds this exchange to `open`, from which it is removed once it has ended. */
  constructor(timeoutMs: number, open: Set<Exchange>) {
    this.#settle = Promise.withResolvers<WebhookResponse>()
    this.answer = this.#settle.promise
    this.#timeoutMs = timeoutMs
    this.#open = open
    this.#timer = setTimeout(this.#expire, timeoutMs)
    open.add(this)
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
   * Ends the exchange one turn of the event loop later, after undici has freed the connection. Otherwise, a request that followed
   * immediately would open a second connection.
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

  abandon(reason: unknown): void {
    if (this.#isOver) return
    this.#end()
    this.#settle.reject(reason)
    this.#controller?.abort(over)
  }

  #finish(error: string | null): void {
    if (this.#isOver) return
    this.#end()
    this.#settle.resolve({
      status: this.#status,
      body: Buffer.concat(this.#chunks),
      retryAfter: this.#retryAfter,
      error,
    })
  }

  #end(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#open.delete(this)
  }
}

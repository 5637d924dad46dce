import type { Dispatcher } from 'undici'
import type { WebhookAnswer } from '../../domain/webhooks/egress/webhook-sender.ts'
import { failureWords } from './failure-words.ts'

const mostAnswerBytes = 64 * 1_024

/** Why we ourselves end a request; nobody reads it, as the answer is settled by then. */
const over = new Error('the exchange is over')

/**
 * One POST and its answer, straight from undici's parser: collects the status and at most 64 KiB, and closes the connection
 * where more comes, as nobody knows how much. One clock runs over all of it, from the look-up of the name to the last
 * byte; undici has none that includes the wait for a connection, and aborts a request only once it has one.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects only where the exchange is abandoned. */
  readonly answer: Promise<WebhookAnswer>
  readonly #settle: PromiseWithResolvers<WebhookAnswer>
  readonly #timeoutMs: number
  readonly #open: Set<Exchange>
  readonly #timer: NodeJS.Timeout
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #status: number | null = null
  #retryAfter: string | undefined
  readonly #chunks: Buffer[] = []
  #bytes = 0

  /** It is one of the `open` ones until it is over. */
  constructor(timeoutMs: number, open: Set<Exchange>) {
    this.#settle = Promise.withResolvers<WebhookAnswer>()
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
    this.#chunks.push(chunk.subarray(0, mostAnswerBytes - this.#bytes))
    this.#bytes += chunk.length
    if (this.#bytes < mostAnswerBytes) return
    this.#finish(null)
    this.#controller?.abort(over)
  }

  /**
   * Settles a turn of the event loop later, behind undici, which gives the connection out again only then: a request that
   * follows at once would open another.
   */
  onResponseEnd(): void {
    queueMicrotask(() => setImmediate(() => this.#finish(null)))
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#finish(failureWords(error))
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

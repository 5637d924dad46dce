import { Agent, type Dispatcher } from 'undici'
import { refuseInsideTransaction } from '../../db/open-transaction.ts'
import type { WebhookAnswer, WebhookRequest, WebhookSender } from '../../domain/webhooks/webhook-sender.ts'
import { parseWebhookUrl } from '../../domain/webhooks/webhook-url.ts'
import { failureWords } from './failure-words.ts'
import { type ConnectOptions, pinnedConnector } from './pinned-connect.ts'

const mostAnswerBytes = 64 * 1_024

/**
 * POSTs to receivers over HTTP/1.1 with undici. Redirects come back as answers, as undici follows none by itself.
 * Connections are kept for a few idle seconds, and for a minute at most, so that a changed DNS record is followed.
 */
export function createWebhookSender(options: ConnectOptions): WebhookSender {
  const agent = new Agent({
    connect: pinnedConnector(options),
    allowH2: false,
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 20_000,
    clientTtl: 60_000,
    // One clock for the whole exchange instead: the request's own time limit.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  return {
    send: (request, signal) => send(agent, request, signal),
    close: () => agent.destroy(),
  }
}

async function send(agent: Agent, request: WebhookRequest, signal: AbortSignal): Promise<WebhookAnswer> {
  refuseInsideTransaction('a webhook receiver')
  signal.throwIfAborted()
  const { target, refusal } = parseWebhookUrl(request.url)
  if (refusal !== undefined) return { status: null, body: Buffer.alloc(0), retryAfter: undefined, error: refusal }

  const ending = new AbortController()
  const abandon = () => ending.abort()
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    ending.abort()
  }, request.timeoutMs)
  signal.addEventListener('abort', abandon, { once: true })
  let response: Dispatcher.ResponseData | undefined
  const chunks: Buffer[] = []
  try {
    const requested = agent.request({
      origin: target.url.origin,
      path: target.url.pathname + target.url.search,
      method: 'POST',
      headers: request.headers,
      body: request.body,
      signal: ending.signal,
    })
    response = await Promise.race([requested, aborted(ending.signal)])
    await readUpTo(mostAnswerBytes, response, chunks)
    return answer(response, chunks, null)
  } catch (error) {
    signal.throwIfAborted()
    const seconds = request.timeoutMs / 1000
    const words =
      response === undefined
        ? `No answer came within ${seconds} seconds.`
        : `The answer was not complete within ${seconds} seconds.`
    return answer(response, chunks, timedOut ? words : failureWords(error))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', abandon)
  }
}

/** Rejects when the signal does: undici itself heeds a signal only from the moment a connection is there. */
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

/** Leaving the loop early closes the connection: nobody knows how much more would come. */
async function readUpTo(limit: number, { body }: Dispatcher.ResponseData, chunks: Buffer[]): Promise<void> {
  body.on('error', () => undefined)
  let size = 0
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk.subarray(0, limit - size))
    size += chunk.length
    if (size >= limit) return
  }
}

function answer(
  response: Dispatcher.ResponseData | undefined,
  chunks: readonly Buffer[],
  error: string | null,
): WebhookAnswer {
  const header = response?.headers['retry-after']
  return {
    status: response?.statusCode ?? null,
    body: Buffer.concat(chunks),
    retryAfter: Array.isArray(header) ? header[0] : header,
    error,
  }
}

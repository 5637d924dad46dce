import type { TSchema } from 'typebox'
import type { Dispatcher, Pool } from 'undici'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { findShapeFault, type ResponseShapes, type ShapedResponse } from './response-shape.ts'
import { readRetryAfter } from './retry-after.ts'
import { transportFailure } from './transport-failure.ts'

/** One outgoing request and the responses that its caller can use. */
export interface Exchange<Shapes extends ResponseShapes> {
  upstream: string
  method: 'GET' | 'POST'
  /** The method and path as shown in error messages, without the path prefix and the query. */
  path: string
  target: string
  headers: Record<string, string>
  body: string | undefined
  responses: Shapes
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Sends one request and reads the response. Throws `UpstreamFailure` unless the response is an expected one. */
export async function exchange<Shapes extends ResponseShapes>(
  pool: Pool,
  request: Exchange<Shapes>,
  signal: AbortSignal,
): Promise<ShapedResponse<Shapes>> {
  const { upstream, method, headers, body, responses } = request
  const call = `${method} ${request.path}`
  let responding = false
  try {
    const response = await pool.request({ path: request.target, method, headers, body: body ?? null, signal })
    responding = true
    const head = judgeHead(response, responses)
    if ('kind' in head) {
      discard(response)
      throw new UpstreamFailure(upstream, head.kind, `${call} ${head.what}`, {
        statusCode: response.statusCode,
        retryAfterSeconds: readRetryAfter(response.headers['retry-after']),
      })
    }
    const parsed = parseAnswer(await response.body.text(), head.shape)
    if ('kind' in parsed) throw new UpstreamFailure(upstream, parsed.kind, `${call} ${parsed.what}`)
    return { status: response.statusCode, body: parsed.body } as ShapedResponse<Shapes>
  } catch (error) {
    throw transportFailure(error, { upstream, call, responding })
  }
}

interface ResponseFault {
  kind: 'status' | 'redirect' | 'not-json' | 'wrong-shape'
  what: string
}

function judgeHead(response: Dispatcher.ResponseData, responses: ResponseShapes): { shape: TSchema } | ResponseFault {
  const { statusCode, headers } = response
  if (statusCode >= 300 && statusCode < 400) {
    return { kind: 'redirect', what: `returned a redirect (${statusCode}), which is not followed` }
  }
  const shape = responses[statusCode]
  if (shape === undefined) return { kind: 'status', what: `returned status ${statusCode}` }
  const contentType = String(headers['content-type'] ?? 'no type')
  if (!jsonType.test(contentType)) {
    return { kind: 'not-json', what: `returned ${contentType.slice(0, 60)} instead of JSON` }
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return { kind: 'not-json', what: 'returned a body with a Content-Encoding that was not requested' }
  }
  return { shape }
}

function parseAnswer(text: string, shape: TSchema): { body: unknown } | ResponseFault {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // The parser's own message is not used, because it would quote the response.
    return { kind: 'not-json', what: 'returned invalid JSON' }
  }
  const fault = findShapeFault(shape, body)
  return fault === undefined ? { body } : { kind: 'wrong-shape', what: `returned an unexpected shape: ${fault}` }
}

/** Discards the body of a response. Closes its connection, because the body might never end. */
function discard(response: Dispatcher.ResponseData): void {
  response.body.on('error', () => undefined)
  response.body.destroy()
}

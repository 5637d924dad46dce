import type { TSchema } from 'typebox'
import type { Dispatcher, Pool } from 'undici'
import { UpstreamFailure } from '../../kernel/upstream-failure.ts'
import { type AnswerShapes, type ShapedAnswer, shapeFault } from './answer-shape.ts'
import { readRetryAfter } from './retry-after.ts'
import { transportFailure } from './transport-failure.ts'

/** One request as it goes out, and the answers that can be used. */
export interface Exchange<Shapes extends AnswerShapes> {
  upstream: string
  method: 'GET' | 'POST'
  /** For messages: without the prefix and the query. */
  path: string
  target: string
  headers: Record<string, string>
  body: string | undefined
  answers: Shapes
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Sends one request and reads its answer. Throws `UpstreamFailure` for everything but an answer of an expected shape. */
export async function exchange<Shapes extends AnswerShapes>(
  pool: Pool,
  request: Exchange<Shapes>,
  signal: AbortSignal,
): Promise<ShapedAnswer<Shapes>> {
  const { upstream, method, headers, body, answers } = request
  const call = `${method} ${request.path}`
  let answering = false
  try {
    const response = await pool.request({ path: request.target, method, headers, body: body ?? null, signal })
    answering = true
    const head = judgeHead(response, answers)
    if ('kind' in head) {
      discard(response)
      throw new UpstreamFailure(upstream, head.kind, `${call} ${head.what}`, {
        statusCode: response.statusCode,
        retryAfterSeconds: readRetryAfter(response.headers['retry-after']),
      })
    }
    const parsed = parseAnswer(await response.body.text(), head.shape)
    if ('kind' in parsed) throw new UpstreamFailure(upstream, parsed.kind, `${call} ${parsed.what}`)
    return { status: response.statusCode, body: parsed.body } as ShapedAnswer<Shapes>
  } catch (error) {
    throw transportFailure(error, { upstream, call, answering })
  }
}

interface AnswerFault {
  kind: 'status' | 'redirect' | 'not-json' | 'wrong-shape'
  what: string
}

function judgeHead(response: Dispatcher.ResponseData, answers: AnswerShapes): { shape: TSchema } | AnswerFault {
  const { statusCode, headers } = response
  if (statusCode >= 300 && statusCode < 400) {
    return { kind: 'redirect', what: `returned a redirect (${statusCode}), which is not followed` }
  }
  const shape = answers[statusCode]
  if (shape === undefined) return { kind: 'status', what: `returned status ${statusCode}` }
  const contentType = String(headers['content-type'] ?? 'no type')
  if (!jsonType.test(contentType)) {
    return { kind: 'not-json', what: `returned ${contentType.slice(0, 60)} instead of JSON` }
  }
  const encoding = headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') {
    return { kind: 'not-json', what: 'returned an encoded body that was not requested' }
  }
  return { shape }
}

function parseAnswer(text: string, shape: TSchema): { body: unknown } | AnswerFault {
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // The parser's message would quote the answer.
    return { kind: 'not-json', what: 'returned invalid JSON' }
  }
  const fault = shapeFault(shape, body)
  return fault === undefined ? { body } : { kind: 'wrong-shape', what: `returned an unexpected shape: ${fault}` }
}

/** Lets go of a body nobody wants. Its connection is closed, as nothing says when such a body would end. */
function discard(response: Dispatcher.ResponseData): void {
  response.body.on('error', () => undefined)
  response.body.destroy()
}

import type { AnswerShapes } from './answer-shape.ts'
import type { UpstreamBase } from './base-url.ts'
import type { Exchange } from './exchange.ts'
import { type IncomingTrace, traceHeaders } from './traceparent.ts'

/** What to ask an upstream. */
export interface UpstreamCall<Shapes extends AnswerShapes> {
  /** GET unless said otherwise. A GET is repeated after a failure, a POST only where `repeatable` says it may be. */
  method?: 'GET' | 'POST'
  repeatable?: boolean
  /** Below the base URL, beginning with a slash. It is logged: identifiers of people belong into the query or body. */
  path: string
  /** Is logged in place of the path, where the upstream wants an identifier in there. */
  pathForLogs?: string
  query?: URLSearchParams
  /** Names in lower case. */
  headers?: Record<string, string>
  /** Sent as JSON, or as a form. */
  body?: { json: unknown } | { form: URLSearchParams }
  /** The answers that can be used, by status. Give the same constant every time: its schemas are compiled once. */
  answers: Shapes
  /** What is asked about, so that one home the upstream stumbles over does not count as an outage for all. */
  subject?: string
  /** The caller's own limit, beside the upstream's. */
  signal?: AbortSignal | undefined
}

interface Sender {
  name: string
  base: UpstreamBase
  trace: IncomingTrace
}

/** The request as it goes out. */
export function outgoingRequest<Shapes extends AnswerShapes>(
  { name, base, trace }: Sender,
  { method = 'GET', path, pathForLogs = path, query, body, headers, answers }: UpstreamCall<Shapes>,
): Exchange<Shapes> {
  return {
    upstream: name,
    method,
    path: pathForLogs,
    target: `${base.prefix}${path}${query === undefined ? '' : `?${query}`}`,
    headers: {
      accept: 'application/json',
      ...traceHeaders(trace),
      ...(base.authorization === undefined ? {} : { authorization: base.authorization }),
      ...(body === undefined ? {} : { 'content-type': 'json' in body ? jsonBody : formBody }),
      ...headers,
    },
    body: body === undefined ? undefined : 'json' in body ? JSON.stringify(body.json) : body.form.toString(),
    answers,
  }
}

const jsonBody = 'application/json'
const formBody = 'application/x-www-form-urlencoded'

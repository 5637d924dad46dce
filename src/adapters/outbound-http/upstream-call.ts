import { type Trace, traceHeaders } from '../../kernel/request-context.ts'
import type { UpstreamBase } from './base-url.ts'
import type { Exchange } from './exchange.ts'
import type { ResponseShapes } from './response-shape.ts'

/** A request to an upstream. */
export interface UpstreamCall<Shapes extends ResponseShapes> {
  /** Defaults to GET. GETs are retried after a failure; POSTs only if `repeatable` is true. */
  method?: 'GET' | 'POST'
  repeatable?: boolean
  /** Relative to the base URL, with a leading slash. The path is logged, so personal ids belong in the query or the body. */
  path: string
  /** What is logged instead of the path, for upstreams with ids in their paths. */
  pathForLogs?: string
  query?: URLSearchParams
  /** Header names are in lower case. */
  headers?: Record<string, string>
  /** The body of the request, sent as JSON or as a form. */
  body?: { json: unknown } | { form: URLSearchParams }
  /** The usable responses, by status. Pass the same constant every time, so that its schemas are compiled only once. */
  responses: Shapes
  /** What the call is about, such as a property: repeated failures for one property do not count as an outage. */
  subject?: string
  /** Ends the call early, when the caller stops waiting. The upstream's deadline applies as well. */
  signal?: AbortSignal | undefined
}

interface Sender {
  name: string
  base: UpstreamBase
  trace: Trace
}

/** Builds the outgoing request. */
export function outgoingRequest<Shapes extends ResponseShapes>(
  { name, base, trace }: Sender,
  { method = 'GET', path, pathForLogs = path, query, body, headers, responses }: UpstreamCall<Shapes>,
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
    responses,
  }
}

const jsonBody = 'application/json'
const formBody = 'application/x-www-form-urlencoded'

import type { LookupFunction } from 'node:net'
import { Ajv, type ValidateFunction } from 'ajv'
import { isTaskCancelledError, TimeoutStrategy, timeout } from 'cockatiel'
import type { Static, TSchema } from 'typebox'
import { type Dispatcher, errors, Pool } from 'undici'
import { isIsoDate } from '../kernel/dates.ts'
import { currentTraceHeaders } from '../kernel/request-context.ts'
import { parseRetryAfter, UpstreamFailure, type UpstreamFailureKind } from '../kernel/upstream-failure.ts'
import { createCounters, type UpstreamCounters } from './counters.ts'
import {
  createGuard,
  defaultLimits,
  type Guard,
  type GuardedCall,
  type UpstreamLimits,
  type UpstreamLog,
  within,
} from './guard.ts'

/** The usable responses of a call: the schema of the body for each status. */
type ResponseShapes = Readonly<Record<number, TSchema>>

/** A response with an expected status and a valid body. */
type ShapedResponse<Shapes extends ResponseShapes> = {
  [Status in keyof Shapes & number]: { status: Status; body: Static<Shapes[Status]> }
}[keyof Shapes & number]

// Only our own schemas, which need no check against the schema of schemas: compiling that one takes 50 ms.
const ajv = new Ajv({ strict: true, validateSchema: false })
/** A calendar day, `YYYY-MM-DD`. */
ajv.addFormat('calendar-day', isIsoDate)
/** Requires the objects in an array to have different values in this field. */
ajv.addKeyword({
  keyword: 'distinctBy',
  type: 'array',
  schemaType: 'string',
  validate: (field: string, items: Record<string, unknown>[]) =>
    new Set(items.map((item) => item[field])).size === items.length,
})
const compiled = new WeakMap<TSchema, ValidateFunction>()

/**
 * Says what is wrong with a body; undefined if it is valid. Names the place and the rule, but never the value, which
 * may be personal data.
 */
export function findShapeFault(shape: TSchema, body: unknown): string | undefined {
  let validate = compiled.get(shape)
  if (validate === undefined) {
    validate = ajv.compile(shape)
    compiled.set(shape, validate)
  }
  if (validate(body)) return undefined
  const fault = validate.errors?.[0]
  return `${fault?.instancePath || 'the body'} ${fault?.message ?? 'does not fit'}`
}

/** The longest Retry-After that we pass on. */
const maxRetryAfterSeconds = 3_600

/** A call of one request, which returns JSON. */
interface UpstreamCall<Shapes extends ResponseShapes> extends Pick<GuardedCall, 'subject' | 'signal'> {
  /** Defaults to GET. GETs are retried after a failure; POSTs only if `repeatable` is true. */
  method?: 'GET' | 'POST'
  repeatable?: boolean
  /**
   * Relative to the base URL, with a leading slash. The path is logged, so personal ids belong in the query or the
   * body.
   */
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
}

/** One request of a guarded call. */
interface OutgoingRequest {
  /** A description of the request, for messages; contains no identifiers. */
  what: string
  method: Dispatcher.HttpMethod
  /** The path, relative to the base URL, and the query. */
  target: string
  headers: Record<string, string>
  body: string | null
}

/** Any response, including redirects, with its complete body. */
interface CompleteResponse {
  status: number
  headers: Dispatcher.ResponseData['headers']
  text: string
}

export interface UpstreamOptions {
  /** The name of the upstream in messages and metrics. */
  name: string
  /**
   * May contain credentials, which are sent as HTTP Basic, and a path, which is prepended to the path of every call.
   */
  baseUrl: string
  limits?: Partial<UpstreamLimits> | undefined
  log?: UpstreamLog | undefined
  /** Gets the seconds that each ended call took. */
  recordDuration?: ((seconds: number) => void) | undefined
  /** Resolves the host's name; defaults to the system's resolver. */
  lookup?: LookupFunction | undefined
}

/** The guarded client for one upstream. Calls continue the trace of the current request. */
export interface Upstream {
  name: string
  limits: Readonly<UpstreamLimits>
  /**
   * Returns a response that is valid for one of the call's schemas, within the deadline. Throws `UpstreamFailure` for
   * anything else, and an Error if called inside a database transaction.
   */
  call<Shapes extends ResponseShapes>(call: UpstreamCall<Shapes>): Promise<ShapedResponse<Shapes>>
  /**
   * The same for a library that makes its own requests, with `send`: returns the result of `attempt`, which must throw
   * `UpstreamFailure` for the upstream's failures. Any other error is a bug in this program and is rethrown without
   * being counted.
   */
  guard: Guard
  /**
   * Sends one request of a guarded call. Throws `UpstreamFailure` if there is no complete response, or the signal's
   * reason.
   */
  send(request: OutgoingRequest, signal: AbortSignal): Promise<CompleteResponse>
  counters(): UpstreamCounters
  /** Waits for current calls to end, each within its time limit, and closes the connections. */
  close(): Promise<void>
}

/** Makes a failure of one request: its kind, and what happened. */
type Fail = (
  kind: UpstreamFailureKind,
  happened: string,
  about?: ConstructorParameters<typeof UpstreamFailure>[3],
) => UpstreamFailure

/** Throws an Error if the base URL is unusable. Does not connect yet. */
export function createUpstream({ name, baseUrl, lookup, ...options }: UpstreamOptions): Upstream {
  const limits = { ...defaultLimits, ...options.limits }
  const { origin, prefix, authorization } = parseBaseUrl(name, baseUrl)
  const counters = createCounters(name)
  const guard = createGuard(counters, limits, options)
  const attemptLimit = timeout(limits.attemptMs, TimeoutStrategy.Aggressive)
  const pool = new Pool(origin, {
    connections: limits.concurrency,
    connect: { timeout: limits.attemptMs, ...(lookup === undefined ? {} : { lookup }) },
    maxResponseSize: limits.maxBytes,
    allowH2: false,
  })
  const failureOf =
    (what: string): Fail =>
    (kind, happened, about) =>
      new UpstreamFailure(name, kind, `${what} ${happened}`, about)

  async function send({ what, target, headers, ...request }: OutgoingRequest, signal: AbortSignal) {
    counters.tries += 1
    let responding = false
    try {
      const response = await pool.request({
        ...request,
        path: `${prefix}${target}`,
        headers: { ...currentTraceHeaders(), ...(authorization === undefined ? {} : { authorization }), ...headers },
        signal,
      })
      responding = true
      return { status: response.statusCode, headers: response.headers, text: await response.body.text() }
    } catch (error) {
      throw signal.aborted ? signal.reason : transportFailure(error, responding, failureOf(what))
    }
  }

  async function call<Shapes extends ResponseShapes>(asked: UpstreamCall<Shapes>): Promise<ShapedResponse<Shapes>> {
    const { method = 'GET', path, pathForLogs = path, query, body, subject, signal } = asked
    const { repeatable = method === 'GET' } = asked
    const what = `${method} ${pathForLogs}`
    const request = {
      what,
      method,
      target: query === undefined ? path : `${path}?${query}`,
      headers: { accept: 'application/json', ...(body === undefined ? {} : typeOf(body)), ...asked.headers },
      body: body === undefined ? null : 'json' in body ? JSON.stringify(body.json) : body.form.toString(),
    }
    const exchange = async (until: AbortSignal) =>
      readJson(await send(request, until), asked.responses, failureOf(what))
    return guard({ what, repeatable, subject, signal }, async (until) => {
      try {
        return await within(attemptLimit, exchange, until)
      } catch (error) {
        if (!isTaskCancelledError(error)) throw error
        throw failureOf(what)('timeout', `took longer than ${limits.attemptMs} ms`)
      }
    })
  }

  return { name, limits, call, guard, send, counters: () => structuredClone(counters), close: () => pool.close() }
}

/**
 * Parses an operator's base URL, e.g. `https://user:secret@telecom.example/api`. Throws an Error that never quotes the
 * URL, because it may hold a secret.
 */
function parseBaseUrl(upstream: string, baseUrl: string) {
  const reject = (what: string) => new Error(`The base URL of ${upstream} ${what}.`)
  const url = URL.parse(baseUrl)
  if (url === null) throw reject('is not a URL')
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw reject('must start with http:// or https://')
  if (url.search !== '' || url.hash !== '') throw reject('must have neither a query nor a fragment')
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    origin: url.origin,
    prefix: url.pathname.replace(/\/+$/, ''),
    authorization: url.username === '' ? undefined : `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}`,
  }
}

function typeOf(body: object): { 'content-type': string } {
  return { 'content-type': 'json' in body ? 'application/json' : 'application/x-www-form-urlencoded' }
}

/** Turns an error of the HTTP client into a failure. `responding` is true once the response's headers have arrived. */
function transportFailure(error: unknown, responding: boolean, fail: Fail): UpstreamFailure {
  const cause = { cause: error }
  if (error instanceof errors.ConnectTimeoutError) return fail('timeout', 'connection timed out', cause)
  if (error instanceof errors.ResponseExceededMaxSizeError)
    return fail('too-large', 'returned a body that is too large', cause)
  if (error instanceof errors.HeadersOverflowError)
    return fail('too-large', 'returned headers that are too large', cause)
  const code = systemCode(error)
  if (responding) return fail('dropped', `lost the connection in the middle of the response (${code})`, cause)
  return fail('unreachable', `got no response (${code})`, cause)
}

/**
 * The system code, such as `ECONNREFUSED`. If several addresses were tried, only the errors inside the AggregateError
 * have it.
 */
function systemCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined
  const codes = [error, first].map((each) => (each as NodeJS.ErrnoException | undefined)?.code)
  return codes.find((code) => code !== undefined) ?? error.name
}

/** The seconds in a `Retry-After` header, given as a number or a date; undefined if the value is neither. */
export function readRetryAfter(value: unknown): number | undefined {
  const seconds = typeof value === 'string' ? parseRetryAfter(value, new Date()) : undefined
  return seconds === undefined ? undefined : Math.min(Math.ceil(seconds), maxRetryAfterSeconds)
}

const jsonType = /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i

/** Reads a response that is valid for the schema of its status. Throws the failure if it is not. */
function readJson<Shapes extends ResponseShapes>(
  { status: statusCode, headers, text }: CompleteResponse,
  responses: Shapes,
  fail: Fail,
): ShapedResponse<Shapes> {
  const about = { statusCode, retryAfterSeconds: readRetryAfter(headers['retry-after']) }
  if (statusCode >= 300 && statusCode < 400)
    throw fail('redirect', `returned a redirect (${statusCode}), which is not followed`, about)
  const shape = responses[statusCode]
  if (shape === undefined) throw fail('status', `returned status ${statusCode}`, about)
  const type = String(headers['content-type'] ?? 'no type')
  if (!jsonType.test(type)) throw fail('not-json', `returned ${type.slice(0, 60)} instead of JSON`, about)
  if ((headers['content-encoding'] ?? 'identity') !== 'identity')
    throw fail('not-json', 'returned a body with a Content-Encoding that was not requested', about)
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    // The parser's own message is not used, because it would quote the response.
    throw fail('not-json', 'returned invalid JSON')
  }
  const fault = findShapeFault(shape, body)
  if (fault !== undefined) throw fail('wrong-shape', `returned an unexpected shape: ${fault}`)
  return { status: statusCode, body } as ShapedResponse<Shapes>
}

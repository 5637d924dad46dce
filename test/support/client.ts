import { checkResponse } from './openapi-responses.ts'
import type { Reply, ReplyToFullPath, Token } from './response-types.ts'

/** A parsed problem document. */
export interface Problem {
  type: string
  title: string
  status: number
  detail: string
  code: string
  requestId: string
  errors?: { pointer: string; code: string; detail: string }[]
}

/**
 * An HTTP response. `body` is the parsed JSON, `text` the raw body. `Success` is the body of a 200 response; any
 * other body is a problem document. `succeeded` and `rejected` tell them apart.
 */
export interface ApiResponse<Success = unknown> {
  status: number
  headers: Headers
  body: Success | Problem
  text: string
}

export interface CallOptions {
  headers?: Record<string, string>
  /** Sent unchanged instead of a JSON body. */
  rawBody?: string | Buffer
}

/**
 * An API client that sends the partner's token with every call and checks every response against the OpenAPI document.
 */
export interface Partner {
  token: string
  get<Path extends string>(path: Path, options?: CallOptions): Promise<ApiResponse<Reply<'GET', Path>>>
  post<Path extends string>(
    path: Path,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse<Reply<'POST', Path>>>
  patch<Path extends string>(
    path: Path,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse<Reply<'PATCH', Path>>>
  delete<Path extends string>(
    path: Path,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse<Reply<'DELETE', Path>>>
  /** Sends a request with any method. */
  send<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse<Reply<Method, Path>>>
}

/**
 * Sends a request and checks the response against the OpenAPI document. Sends no token unless one is in the headers.
 */
export async function call<Method extends string, Path extends string>(
  baseUrl: string,
  method: Method,
  path: Path,
  body?: unknown,
  options: CallOptions = {},
): Promise<ApiResponse<ReplyToFullPath<Method, Path>>> {
  const sent = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...options.headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await response.text()
  const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '')
  const result = {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    text,
  }
  checkResponse(method, path, result)
  return result
}

export async function getToken(
  baseUrl: string,
  credentials: { clientId: string; clientSecret: string },
): Promise<string> {
  const result = await call(baseUrl, 'POST', '/partner-api/Auth/token', credentials)
  if (result.status !== 200) throw new Error(`no token: ${result.text}`)
  return (result.body as Token).access_token
}

/** Requests a token and returns a client for it. The client's paths are below /partner-api. */
export async function connectPartner(
  baseUrl: string,
  credentials: { clientId: string; clientSecret: string },
): Promise<Partner> {
  return partnerWithToken(baseUrl, await getToken(baseUrl, credentials))
}

export function partnerWithToken(baseUrl: string, token: string): Partner {
  const withToken = (options: CallOptions = {}): CallOptions => ({
    ...options,
    headers: { Authorization: `Bearer ${token}`, ...options.headers },
  })
  const send: Partner['send'] = <Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: unknown,
    options?: CallOptions,
  ) =>
    // Safe: both types describe the same path, which the type checker cannot see while Path is generic.
    call(baseUrl, method, `/partner-api${path}`, body, withToken(options)) as Promise<ApiResponse<Reply<Method, Path>>>
  return {
    token,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    delete: (path, body, options) => send('DELETE', path, body, options),
    send,
  }
}

import { checkResponse } from './openapi-responses.ts'
import type { Reply, ReplyAnywhere, Token } from './response-types.ts'

/** A problem document as tests read it. */
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
 * One answer as a test reads it; `body` is what the JSON said, `text` the very bytes. `Success` is what the call answers with
 * status 200; any other answer of it is a problem document. `succeeded` and `refused` tell which it is.
 */
export interface ApiResponse<Success = unknown> {
  status: number
  headers: Headers
  body: Success | Problem
  text: string
}

export interface CallOptions {
  headers?: Record<string, string>
  /** Sent as it is, instead of a JSON body. */
  rawBody?: string | Buffer
}

/** A partner's program: sends its token with every call and checks every answer against the OpenAPI document. */
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
  /** Any of these by its name. */
  send<Method extends string, Path extends string>(
    method: Method,
    path: Path,
    body?: unknown,
    options?: CallOptions,
  ): Promise<ApiResponse<Reply<Method, Path>>>
}

/** Any call, without a token unless one is in the headers. The answer is checked against the OpenAPI document. */
export async function call<Method extends string, Path extends string>(
  baseUrl: string,
  method: Method,
  path: Path,
  body?: unknown,
  options: CallOptions = {},
): Promise<ApiResponse<ReplyAnywhere<Method, Path>>> {
  const sent = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...options.headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const answer = {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    text,
  }
  checkResponse(method, path, answer)
  return answer
}

export async function getToken(
  baseUrl: string,
  credentials: { clientId: string; clientSecret: string },
): Promise<string> {
  const answer = await call(baseUrl, 'POST', '/partner-api/Auth/token', credentials)
  if (answer.status !== 200) throw new Error(`no token: ${answer.text}`)
  return (answer.body as Token).access_token
}

/** A partner with a token. Paths are below /partner-api. */
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
    // Safe: that is the reply of the whole path, which the type checker cannot tell while Path is open.
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

import { checkAnswer } from './openapi-answers.ts'

/** One answer as a test reads it; `body` is what the JSON said, `text` the very bytes. */
export interface Answer {
  status: number
  headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely; their shape is checked against the document
  body: any
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
  get(path: string, options?: CallOptions): Promise<Answer>
  post(path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  patch(path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  delete(path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  /** Any of these by its name. */
  send(method: string, path: string, body?: unknown, options?: CallOptions): Promise<Answer>
}

/** Any call, without a token unless one is in the headers. The answer is checked against the OpenAPI document. */
export async function call(
  baseUrl: string,
  method: string,
  path: string,
  body?: unknown,
  options: CallOptions = {},
): Promise<Answer> {
  const sent = options.rawBody ?? (body === undefined ? undefined : JSON.stringify(body))
  const response = await fetch(`${baseUrl}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...options.headers },
    ...(sent === undefined ? {} : { body: sent }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json') ?? false
  const answer: Answer = {
    status: response.status,
    headers: response.headers,
    body: isJson && text !== '' ? JSON.parse(text) : undefined,
    text,
  }
  checkAnswer(method, path, answer)
  return answer
}

export async function getToken(
  baseUrl: string,
  credentials: { clientId: string; clientSecret: string },
): Promise<string> {
  const answer = await call(baseUrl, 'POST', '/partner-api/Auth/token', credentials)
  if (answer.status !== 200) throw new Error(`no token: ${answer.text}`)
  return answer.body.access_token
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
  const send: Partner['send'] = (method, path, body, options) =>
    call(baseUrl, method, `/partner-api${path}`, body, withToken(options))
  return {
    token,
    get: (path, options) => send('GET', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    delete: (path, body, options) => send('DELETE', path, body, options),
    send,
  }
}

import type { Call, CallOptions } from './call.ts'
import { exchange, type Outcome, type Transport } from './exchange.ts'
import { documentVersion, Operations } from './operations.ts'
import { defaultRetryPolicy, pauseBeforeRetry, type RetryPolicy } from './retry.ts'
import { type IssuedToken, TokenSource } from './token-source.ts'

/**
 * How the client gets its tokens: with your credentials, or from a function of yours, such as one that signs with a
 * private key.
 */
export type Credentials =
  | { clientId: string; clientSecret: string; fetchToken?: undefined }
  | { fetchToken: () => Promise<IssuedToken>; clientId?: undefined; clientSecret?: undefined }

export type HousebillClientOptions = Credentials & {
  /** The server, such as `https://bills.example`. */
  baseUrl: string
  /** How long one attempt may take, in milliseconds. Defaults to 60,000. */
  timeoutMs?: number
  /** What to change about the retries. */
  retry?: Partial<RetryPolicy>
  /** Replaces the global `fetch`, for a proxy or a test. */
  fetch?: typeof fetch
  /** Replaces the pause before a retry, for a test. */
  pause?: (milliseconds: number) => Promise<void>
}

/**
 * Calls the partner API of a Housebill server. One client is enough for a program: it fetches one token for all calls.
 *
 * Methods return the body of the response and throw ApiError, TokenRefusedError or ConnectionError. Responses with 429
 * or 5xx and lost connections are retried first.
 */
export class HousebillClient extends Operations {
  readonly #transport: Transport
  readonly #retry: RetryPolicy
  readonly #pause: (milliseconds: number) => Promise<void>
  readonly #tokens: TokenSource

  /** Throws TypeError for a wrong `baseUrl`, and in a browser if it is given a secret, which visitors could read. */
  constructor(options: HousebillClientOptions) {
    super()
    const { baseUrl, timeoutMs = 60_000, retry, fetch: ownFetch, pause } = options
    if (options.clientSecret !== undefined && isBrowser())
      throw new TypeError('A client secret must not reach a browser. Call Housebill from your server.')
    if (!/^https?:$/.test(new URL(baseUrl).protocol)) throw new TypeError(`baseUrl is not a web address: ${baseUrl}`)
    this.#transport = {
      baseUrl: baseUrl.replace(/\/+$/, ''),
      fetch: ownFetch ?? ((...request) => fetch(...request)),
      timeoutMs,
      userAgent: `housebill-client/${documentVersion}`,
    }
    this.#retry = { ...defaultRetryPolicy, ...retry }
    this.#pause = pause ?? ((milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)))
    this.#tokens = new TokenSource(options.fetchToken ?? (() => this.#issue(options)))
  }

  protected async send<Response>(call: Call, options: CallOptions): Promise<Response> {
    const key = call.takesKey ? { 'Idempotency-Key': options.idempotencyKey ?? crypto.randomUUID() } : undefined
    for (let retries = 0; ; retries++) {
      const test = retries === 0 && options.testError !== undefined ? { 'Housebill-Test-Error': options.testError } : {}
      const outcome = await this.#attempt(call, { ...key, ...test }, options)
      if ('body' in outcome) return outcome.body as Response
      const pauseMs = pauseBeforeRetry(outcome.error, retries, this.#retry, Math.random())
      if (pauseMs === undefined) throw outcome.error
      await unlessAborted(this.#pause(pauseMs), options.signal)
    }
  }

  /** One attempt. If the token is rejected, as when it was revoked, a second one with a new token. */
  async #attempt(call: Call, headers: Record<string, string>, options: CallOptions): Promise<Outcome> {
    if (call.isPublic) return exchange(this.#transport, call, headers, options)
    const token = await unlessAborted(this.#tokens.get(), options.signal)
    const withToken = (each: string) => ({ ...headers, Authorization: `Bearer ${each}` })
    const outcome = await exchange(this.#transport, call, withToken(token), options)
    if ('body' in outcome || outcome.error.status !== 401) return outcome
    await this.#tokens.reject(token)
    const renewed = await unlessAborted(this.#tokens.get(), options.signal)
    return exchange(this.#transport, call, withToken(renewed), options)
  }

  async #issue({ clientId, clientSecret }: Credentials): Promise<IssuedToken> {
    if (clientId === undefined) throw new TypeError('The client needs clientId and clientSecret, or fetchToken.')
    const issued = await this.issueToken({ clientId, clientSecret })
    return { accessToken: issued.access_token, expiresInSeconds: issued.expires_in }
  }
}

/** Waits for `work` until the signal ends the wait, whose reason is then thrown. */
async function unlessAborted<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work
  const listening = new AbortController()
  const aborted = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { signal: listening.signal })
    if (signal.aborted) reject(signal.reason)
  })
  return Promise.race([work, aborted]).finally(() => listening.abort())
}

/** Whether this is a page or a worker of a browser. Node, Deno, Bun and the workers of hosting services are not. */
function isBrowser(): boolean {
  return 'document' in globalThis || 'importScripts' in globalThis
}

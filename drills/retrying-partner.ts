import { setTimeout as sleep } from 'node:timers/promises'
import type { Ledger } from '../test/crash/ledger.ts'
import type { Reply } from '../test/support/response-types.ts'

/** How long a partner's program waits before it repeats a request, if the response does not say. */
const pauseMs = 1_000
const timeoutMs = 30_000

/**
 * A partner's program that works as the documentation recommends: it repeats a request that failed once, unchanged, with
 * the same key, and writes down what was acknowledged. A request fails if there is no response, or one from 500. A
 * response that only says how long to wait (a key that is in progress, too many calls) is no failure.
 */
export class RetryingPartner {
  readonly #url: string
  readonly #token: string
  readonly #ledger: Pick<Ledger, 'write'>
  /** How long each request took, with its repetition, in milliseconds. */
  readonly times: number[] = []
  /** How many requests failed, by what the response was. */
  readonly failures = new Map<string, number>()
  /** How many responses asked to wait. */
  waits = 0
  /** What failed again when it was repeated. */
  readonly unmended: string[] = []

  constructor(url: string, token: string, ledger: Pick<Ledger, 'write'>) {
    this.#url = url
    this.#token = token
    this.#ledger = ledger
  }

  async post<Path extends string>(key: string, path: Path, body?: unknown): Promise<Reply<'POST', Path>> {
    const text = await this.#untilAnswered('POST', path, { key, body })
    this.#ledger.write({ path, body, key, text })
    // Safe: the request succeeded.
    return JSON.parse(text) as Reply<'POST', Path>
  }

  async get<Path extends string>(path: Path): Promise<Reply<'GET', Path>> {
    return JSON.parse(await this.#untilAnswered('GET', path)) as Reply<'GET', Path>
  }

  /** The text of the response. Goes on after a second failure, so that the rest of a journey is tried too. */
  async #untilAnswered(method: string, path: string, sent: { key?: string; body?: unknown } = {}): Promise<string> {
    const begun = performance.now()
    for (let failed = 0; ; ) {
      const answer = await this.#send(method, path, sent)
      if (answer?.status === 200) {
        this.times.push(performance.now() - begun)
        return answer.text
      }
      const isFailure = answer === undefined || answer.status >= 500
      if (!isFailure && Number.isNaN(answer.waitMs))
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
      if (isFailure) {
        failed += 1
        const how = answer === undefined ? 'no response' : String(answer.status)
        this.failures.set(how, (this.failures.get(how) ?? 0) + 1)
        if (failed === 2) this.unmended.push(`${method} ${path}: ${how} ${answer?.text ?? ''}`)
        if (failed === 10)
          throw new Error(`${method} ${path} failed ten times, at last with ${how} ${answer?.text ?? ''}`)
      } else this.waits += 1
      await sleep(answer === undefined || Number.isNaN(answer.waitMs) ? pauseMs : answer.waitMs)
    }
  }

  /** Sends the request once. `waitMs` is what the response asks for, or NaN. Undefined without a whole response. */
  async #send(
    method: string,
    path: string,
    { key, body }: { key?: string; body?: unknown },
  ): Promise<{ status: number; waitMs: number; text: string } | undefined> {
    const headers: Record<string, string> = { authorization: `Bearer ${this.#token}` }
    if (key !== undefined) headers['idempotency-key'] = key
    if (body !== undefined) headers['content-type'] = 'application/json'
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    const signal = AbortSignal.timeout(timeoutMs)
    try {
      const response = await fetch(`${this.#url}/partner-api${path}`, { method, headers, ...sent, signal })
      const waitMs = Number(response.headers.get('retry-after') ?? Number.NaN) * 1_000
      return { status: response.status, waitMs, text: await response.text() }
    } catch {
      // Nothing was wrong with the request, so either nobody answered, or not in time, or not in full.
      return undefined
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { type ApiResponse, call } from '../support/client.ts'
import type { Reply } from '../support/response-types.ts'
import { codeOf } from '../support/responses.ts'
import type { Ledger } from './ledger.ts'

/**
 * A partner's program that works as the documentation recommends: every POST carries a key and is repeated unchanged
 * until it succeeds. Throws if a response is neither a success nor one of those after which a request should be
 * retried.
 */
export class PersistentPartner {
  readonly #baseUrl: string
  readonly #token: string
  readonly #ledger: Ledger

  constructor(baseUrl: string, token: string, ledger: Ledger) {
    this.#baseUrl = baseUrl
    this.#token = token
    this.#ledger = ledger
  }

  /** Sends the request `times` times in parallel, asserts that all the responses are equal, and returns their body. */
  async post<Path extends string>(key: string, path: Path, body?: unknown, times = 1): Promise<Reply<'POST', Path>> {
    const answers = await Promise.all(Array.from({ length: times }, () => this.#untilAnswered(key, path, body)))
    const texts = new Set(answers.map(({ text }) => text))
    if (texts.size !== 1) throw new Error(`${path}: ${texts.size} different responses for one key`)
    const [first] = answers
    if (first === undefined) throw new Error('nothing was sent')
    this.#ledger.write({ path, body, key, text: first.text })
    // This cast is safe: the request succeeded, and the response was checked against the schema of this path.
    return first.body as Reply<'POST', Path>
  }

  async #untilAnswered(key: string, path: string, body: unknown): Promise<ApiResponse> {
    for (;;) {
      const answer = await this.send(key, path, body)
      if (answer?.status === 200) return answer
      const isNotNow = answer === undefined || answer.status === 503 || codeOf(answer) === 'idempotency_in_flight'
      if (!isNotNow) throw new Error(`${path} with ${key}: ${answer.status} ${answer.text}`)
      this.#ledger.retries += 1
      await sleep(50)
    }
  }

  /** Sends the request once. Returns undefined if there was no response. */
  async send(key: string, path: string, body: unknown): Promise<ApiResponse | undefined> {
    const headers = { Authorization: `Bearer ${this.#token}`, 'Idempotency-Key': key }
    try {
      const answer = await call(this.#baseUrl, 'POST', `/partner-api${path}`, body, { headers })
      this.#ledger.count(answer.status)
      return answer
    } catch (error) {
      // fetch throws this when the connection breaks or is rejected. Other errors, such as a response that breaks the
      // schema, are rethrown.
      if (!(error instanceof TypeError)) throw error
      this.#ledger.unanswered += 1
      return undefined
    }
  }
}

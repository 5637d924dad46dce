import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, call } from '../support/client.ts'
import type { Ledger } from './ledger.ts'

/**
 * A partner's program as the documentation asks for one: every POST carries a key, and is sent again, the same, until it is
 * answered. Throws where an answer is neither a success nor "not now".
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

  /** The answer's body, once there is one. `times` are sent at once each time; their answers must agree. */
  async post(key: string, path: string, body?: unknown, times = 1): Promise<Answer['body']> {
    const answers = await Promise.all(Array.from({ length: times }, () => this.#untilAnswered(key, path, body)))
    const texts = new Set(answers.map(({ text }) => text))
    if (texts.size !== 1) throw new Error(`${path}: one key, ${texts.size} answers`)
    const [first] = answers
    if (first === undefined) throw new Error('nothing was sent')
    this.#ledger.write({ path, body, key, text: first.text })
    return first.body
  }

  async #untilAnswered(key: string, path: string, body: unknown): Promise<Answer> {
    for (;;) {
      const answer = await this.send(key, path, body)
      if (answer?.status === 200) return answer
      const isNotNow = answer === undefined || answer.status === 503 || answer.body.code === 'idempotency_in_flight'
      if (!isNotNow) throw new Error(`${path} with ${key}: ${answer.status} ${answer.text}`)
      this.#ledger.retries += 1
      await sleep(100)
    }
  }

  /** Sends it once; undefined where no answer came. */
  async send(key: string, path: string, body: unknown): Promise<Answer | undefined> {
    const headers = { Authorization: `Bearer ${this.#token}`, 'Idempotency-Key': key }
    try {
      const answer = await call(this.#baseUrl, 'POST', `/partner-api${path}`, body, { headers })
      this.#ledger.count(answer.status)
      return answer
    } catch (error) {
      // What fetch throws when the connection breaks or is refused; an answer against the document is thrown on.
      if (!(error instanceof TypeError)) throw error
      this.#ledger.unanswered += 1
      return undefined
    }
  }
}

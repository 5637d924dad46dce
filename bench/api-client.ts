import { Agent, request } from 'undici'
import type { Call } from '../clients/typescript/src/call.ts'
import { searchOf } from '../clients/typescript/src/exchange.ts'
import { Operations } from '../clients/typescript/src/operations.ts'
import type { Steps } from './bounded-run.ts'
import { credentials } from './child-service.ts'

/** How many milliseconds the calls of each operation took, in the order of the first calls. */
export type OperationTimes = Map<string, number[]>

/**
 * Calls the partner API as a partner's program does: with one token, over connections that stay open. A method throws
 * unless the status is 200. Nothing is repeated.
 */
export class ApiClient extends Operations {
  /** The headers of every call. */
  readonly headers: Record<string, string> = { 'content-type': 'application/json' }
  readonly #url: string
  readonly #agent: Agent
  readonly #times: OperationTimes | undefined

  constructor(url: string, agent: Agent, times?: OperationTimes) {
    super()
    this.#url = url
    this.#agent = agent
    this.#times = times
  }

  /** A client that notes how long each call takes. */
  timed(times: OperationTimes): ApiClient {
    const client = new ApiClient(this.#url, this.#agent, times)
    Object.assign(client.headers, this.headers)
    return client
  }

  protected async send<Response>({ operationId, method, path, query, body }: Call): Promise<Response> {
    const startedAt = performance.now()
    const { 'content-type': _type, ...others } = this.headers
    const sent = body === undefined ? { headers: others } : { headers: this.headers, body: JSON.stringify(body) }
    const url = `${this.#url}${path}${searchOf(query)}`
    const response = await request(url, { method: method as 'GET' | 'POST', dispatcher: this.#agent, ...sent })
    const text = await response.body.text()
    if (response.statusCode !== 200) throw new Error(`${operationId}: ${response.statusCode} ${text}`)
    if (this.#times !== undefined) {
      const times = this.#times.get(operationId) ?? []
      this.#times.set(operationId, times)
      times.push(performance.now() - startedAt)
    }
    return JSON.parse(text)
  }
}

/** Gets a token, by default for the benchmark's partner. `url` has no path. */
export async function connectApi(run: Steps, url: string, client = credentials): Promise<ApiClient> {
  // All clients of a benchmark share the connections that one address may have.
  const agent = new Agent({ connections: 100 })
  run.atEnd(() => agent.destroy())
  const api = new ApiClient(url, agent)
  api.headers.authorization = `Bearer ${(await api.issueToken(client)).access_token}`
  return api
}

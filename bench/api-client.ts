import { Agent, request } from 'undici'
import { credentials } from './child-service.ts'
import type { Run } from './scenario.ts'

/** Calls the partner API as a partner's program does: with one token, over connections that stay open. */
export interface ApiClient {
  /** The headers of every call. */
  headers: Readonly<Record<string, string>>
  /** Returns the parsed response; throws unless its status is 200. */
  get(path: string): Promise<ApiReply>
  post(path: string, body?: unknown): Promise<ApiReply>
}

/** The members that benchmarks read. */
export interface ApiReply {
  access_token: string
  quoteId: string
  addressUid: string
  setupIntentId: string
  contractUrl: string
  previewUrl: string
  tenants: { tenantId: string }[]
  [index: number]: ApiReply
}

/** Gets a token, by default for the benchmark's partner. `url` has no path. */
export async function connectApi(run: Run, url: string, client = credentials): Promise<ApiClient> {
  const agent = new Agent({ connections: 256 })
  run.atEnd(() => agent.destroy())
  const headers: Record<string, string> = { 'content-type': 'application/json' }
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<ApiReply> => {
    const { 'content-type': type = '', ...others } = headers
    const sent =
      body === undefined
        ? { headers: others }
        : { headers: { ...others, 'content-type': type }, body: JSON.stringify(body) }
    const answer = await request(`${url}/partner-api${path}`, { method, dispatcher: agent, ...sent })
    const text = await answer.body.text()
    if (answer.statusCode !== 200) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`)
    return JSON.parse(text)
  }
  headers.authorization = `Bearer ${(await call('POST', '/Auth/token', client)).access_token}`
  return {
    headers,
    get: (path) => call('GET', path),
    post: (path, body) => call('POST', path, body),
  }
}

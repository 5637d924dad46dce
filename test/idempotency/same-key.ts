import assert from 'node:assert/strict'
import { Pool } from 'undici'
import { waitFor } from '../support/wait-for.ts'

/** One POST with an Idempotency-Key, sent many times at once. */
export interface SameKeyRequest {
  /** The path below /partner-api. */
  path: string
  body?: unknown
  key: string
  token: string
  count: number
}

/** One response; the status is undefined if the connection broke first. */
interface SameKeyResponse {
  status: number | undefined
  text: string
  replayed: boolean
  retryAfter: string | undefined
}

/** A pool that opens a connection for each concurrent request and keeps it open for the next batch of requests. */
export function openConnections(baseUrl: string): Pool {
  return new Pool(baseUrl, { connections: null, pipelining: 1, keepAliveTimeout: 60_000 })
}

/** Sends `count` identical requests in parallel: all of them before the first response can arrive. */
function sendAtOnce(pool: Pool, { path, body, key, token, count }: SameKeyRequest): Promise<SameKeyResponse[]> {
  const send = async (): Promise<SameKeyResponse> => {
    const headers = {
      Authorization: `Bearer ${token}`,
      'Idempotency-Key': key,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
    }
    try {
      const answer = await pool.request({
        method: 'POST',
        path: `/partner-api${path}`,
        headers,
        body: body === undefined ? null : JSON.stringify(body),
      })
      const retryAfter = answer.headers['retry-after']
      return {
        status: answer.statusCode,
        text: await answer.body.text(),
        replayed: answer.headers['idempotent-replayed'] === 'true',
        retryAfter: typeof retryAfter === 'string' ? retryAfter : undefined,
      }
    } catch (error) {
      // A response is missing only if the process was killed. Tests that kill no process assert that every status is
      // set.
      return { status: undefined, text: String(error), replayed: false, retryAfter: undefined }
    }
  }
  return Promise.all(Array.from({ length: count }, send))
}

/** The result of sending one request many times at once. */
export interface StormResult {
  text: string
  inFlight: number
  /**
   * Requests that got 503 with Retry-After because 1,000 others were waiting for the database. Common only on a busy
   * machine.
   */
  unavailable: number
}

/**
 * Sends all requests at once, and again after Retry-After if none succeeded. Fails unless every response is the same
 * success or a temporary error, and exactly one request was executed.
 */
export async function sendStorm(pool: Pool, operationId: string, request: SameKeyRequest): Promise<StormResult> {
  const responses = await sendAtOnce(pool, request)
  await waitFor(`${operationId} succeeds`, async () => {
    if (responses.some(({ status }) => status === 200)) return true
    responses.push(...(await sendAtOnce(pool, { ...request, count: 1 })))
    return false
  })
  const rejections = responses.filter(({ status }) => status !== 200)
  for (const { status, text, retryAfter } of rejections) {
    const { code } = status === undefined ? { code: text } : JSON.parse(text)
    assert.ok(code === 'idempotency_in_flight' || code === 'service_unavailable', `${operationId}: ${text}`)
    // At most as long as a claim of a key lasts.
    assert.match(retryAfter ?? '', /^([1-9]|1[0-5])$/)
  }
  const successes = responses.filter(({ status }) => status === 200)
  assert.equal(new Set(successes.map(({ text }) => text)).size, 1, `${operationId}: the successful responses differ`)
  assert.equal(successes.filter(({ replayed }) => !replayed).length, 1, `${operationId}: executed once`)
  const inFlight = rejections.filter(({ status }) => status === 409).length
  return { text: successes[0]?.text ?? '', inFlight, unavailable: rejections.length - inFlight }
}

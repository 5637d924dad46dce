import assert from 'node:assert/strict'
import { Pool } from 'undici'
import { waitFor } from '../support/wait-for.ts'

/** One keyed POST, sent many times at once. */
export interface SameKeyRequest {
  /** Below /partner-api. */
  path: string
  body?: unknown
  key: string
  token: string
  count: number
}

/** One answer; undefined status where the connection broke before it came. */
export interface SameKeyAnswer {
  status: number | undefined
  text: string
  replayed: boolean
  retryAfter: string | undefined
}

/** Connections that stay open from one storm to the next: as many as there are requests at once. */
export function openConnections(baseUrl: string): Pool {
  return new Pool(baseUrl, { connections: null, pipelining: 1, keepAliveTimeout: 60_000 })
}

/** Every request is under way before the first answer can have come. */
export function sendAtOnce(pool: Pool, { path, body, key, token, count }: SameKeyRequest): Promise<SameKeyAnswer[]> {
  const send = async (): Promise<SameKeyAnswer> => {
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
      // Only a process that was ended is silent; who ends none asserts that all have a status.
      return { status: undefined, text: String(error), replayed: false, retryAfter: undefined }
    }
  }
  return Promise.all(Array.from({ length: count }, send))
}

/** What a storm came to. */
export interface OneSuccess {
  text: string
  inFlight: number
  /** CommandError unseen because a thousand stood before the database: 503 with Retry-After. Common only on a machine with much else to do. */
  unavailable: number
}

/**
 * Sends the storm, and the request again where none of it got through, as Retry-After asks for. Fails unless every answer is the
 * same success or says "not now", and exactly one of them was carried out.
 */
export async function storm(pool: Pool, operationId: string, request: SameKeyRequest): Promise<OneSuccess> {
  const answers = await sendAtOnce(pool, request)
  await waitFor(`${operationId} gets through`, async () => {
    if (answers.some(({ status }) => status === 200)) return true
    answers.push(...(await sendAtOnce(pool, { ...request, count: 1 })))
    return false
  })
  const refusals = answers.filter(({ status }) => status !== 200)
  for (const { status, text, retryAfter } of refusals) {
    const { code } = status === undefined ? { code: text } : JSON.parse(text)
    assert.ok(code === 'idempotency_in_flight' || code === 'service_unavailable', `${operationId}: ${text}`)
    assert.match(retryAfter ?? '', /^[12]$/)
  }
  const successes = answers.filter(({ status }) => status === 200)
  assert.equal(new Set(successes.map(({ text }) => text)).size, 1, `${operationId}: the successes differ`)
  assert.equal(successes.filter(({ replayed }) => !replayed).length, 1, `${operationId}: carried out once`)
  const inFlight = refusals.filter(({ status }) => status === 409).length
  return { text: successes[0]?.text ?? '', inFlight, unavailable: refusals.length - inFlight }
}

import type { Tx } from '../../../../platform/db/database.ts'
import type { Seal } from '../seal.ts'
import type { PublishedChange } from '../webhooks/webhook-event.ts'
import {
  deleteOldIdempotentResponses,
  findIdempotentResponse,
  insertIdempotencyKey,
  updateIdempotentResponse,
} from './idempotent-responses.store.ts'
import { invalidRequest, StripeFault } from './stripe-fault.ts'

/** The response to a POST, and the changes for which events are sent. */
export interface SimulatorResponse {
  status: number
  body: object
  changes: readonly PublishedChange[]
}

export type ReplayableResponse = SimulatorResponse & { replayed: boolean }

/**
 * The processor's `Idempotency-Key` rule: the first call with a key does the work; later identical calls get the same
 * response and change nothing; different requests are rejected. If a call fails before it changes anything, its key can
 * be used again.
 */
export async function respondOnce(
  tx: Tx,
  seal: Seal,
  request: { key: string | undefined; fingerprint: string },
  work: () => Promise<SimulatorResponse>,
): Promise<ReplayableResponse> {
  const { key, fingerprint } = request
  if (key === undefined) return { ...(await work()), replayed: false }
  if (key.length === 0 || key.length > 255) throw invalidRequest('Idempotency-Key must have 1 to 255 characters.')

  if (!(await insertIdempotencyKey(tx, key, fingerprint))) return replay(tx, seal, key, fingerprint)
  await deleteOldIdempotentResponses(tx)
  const answer = await work()
  await updateIdempotentResponse(tx, key, seal.seal(JSON.stringify({ status: answer.status, body: answer.body }), key))
  return { ...answer, replayed: false }
}

async function replay(tx: Tx, seal: Seal, key: string, fingerprint: string): Promise<ReplayableResponse> {
  const first = await findIdempotentResponse(tx, key)
  if (first === undefined || first.answer_sealed === null) {
    throw new StripeFault(409, {
      type: 'idempotency_error',
      code: 'idempotency_key_in_use',
      message: 'There is currently another in-progress request using this idempotency key. Try again shortly.',
    })
  }
  if (first.fingerprint !== fingerprint) {
    throw new StripeFault(400, {
      type: 'idempotency_error',
      message:
        'Keys for idempotent requests can only be used with the same endpoint and parameters they were first used with. ' +
        'Try using a key other than the one passed if you meant to execute a different request.',
    })
  }
  const answer = JSON.parse(seal.open(first.answer_sealed, key)) as { status: number; body: object }
  return { ...answer, changes: [], replayed: true }
}

import type { Tx } from '../../../src/db/database.ts'
import type { Seal } from '../seal.ts'
import type { ToldChange } from '../webhooks/webhook-event.ts'
import {
  deleteOldIdempotentAnswers,
  findIdempotentAnswer,
  insertIdempotencyKey,
  updateIdempotentAnswer,
} from './idempotent-answers.store.ts'
import { invalidRequest, StripeFault } from './stripe-fault.ts'

/** The answer to a POST, and what it changed: what the processor tells of. */
export interface Answer {
  status: number
  body: object
  changes: readonly ToldChange[]
}

export type OnceAnswer = Answer & { replayed: boolean }

/**
 * The processor's `Idempotency-Key` rule: the first call with a key does the work, every later one with the same
 * request gets the same answer and changes nothing, one with another request is refused. A call that failed before it
 * changed anything leaves its key free.
 */
export async function answerOnce(
  tx: Tx,
  seal: Seal,
  request: { key: string | undefined; fingerprint: string },
  work: () => Promise<Answer>,
): Promise<OnceAnswer> {
  const { key, fingerprint } = request
  if (key === undefined) return { ...(await work()), replayed: false }
  if (key.length === 0 || key.length > 255) throw invalidRequest('Idempotency-Key must have 1 to 255 characters.')

  if (!(await insertIdempotencyKey(tx, key, fingerprint))) return replay(tx, seal, key, fingerprint)
  await deleteOldIdempotentAnswers(tx)
  const answer = await work()
  await updateIdempotentAnswer(tx, key, seal.seal(JSON.stringify({ status: answer.status, body: answer.body }), key))
  return { ...answer, replayed: false }
}

async function replay(tx: Tx, seal: Seal, key: string, fingerprint: string): Promise<OnceAnswer> {
  const first = await findIdempotentAnswer(tx, key)
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

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ResponseRecorder } from '../../db/database.ts'
import { claimIdempotencyKey, type IdempotencyDependencies, markReplayed } from '../../idempotency/idempotency-http.ts'
import type { Id } from '../../kernel/ids.ts'
import { rawBody } from '../plugins/body.ts'
import type { Operation } from '../route.ts'
import { canonicalPath, sendJson } from './read-request.ts'

/** How an operation with an `Idempotency-Key` runs, and what its response is. */
export interface KeyedCall {
  partnerId: Id<'partner'>
  key: string
  /** Runs the operation, which stores its response with the recorder in the transaction of its change. */
  run(responseRecorder: ResponseRecorder): Promise<unknown>
  /** The response as JSON. */
  present(result: unknown): string
  /** The response as it is stored. */
  presentStored(result: unknown): string
  /** The response of a replay. */
  replay(stored: string): Promise<string>
}

/**
 * Responds to a request with an `Idempotency-Key`: with the stored response if the key was used, otherwise by running
 * the operation.
 */
export async function respondIdempotently(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: IdempotencyDependencies,
  operation: Operation,
  { partnerId, key, run, present, presentStored, replay }: KeyedCall,
): Promise<FastifyReply> {
  const { method, operationId } = operation
  const path = canonicalPath(request, operation)
  const claim = await claimIdempotencyKey(deps, { partnerId, key, method, path, body: rawBody(request) }, presentStored)
  if (claim.kind === 'replay') {
    markReplayed(reply)
    return sendJson(reply, await replay(claim.response))
  }
  try {
    let recorded = false
    const result = await run({
      effectKey: claim.recorder.effectKey,
      record: async (...args) => {
        await claim.recorder.record(...args)
        recorded = true
      },
    })
    if (!recorded) throw new Error(`${operationId} ended without storing its response in a transaction`)
    return sendJson(reply, present(result))
  } catch (error) {
    // If even this fails, the claim expires after a while.
    await claim
      .release()
      .catch((failure: unknown) => request.log.warn({ err: failure }, 'releasing an Idempotency-Key failed'))
    throw error
  }
}

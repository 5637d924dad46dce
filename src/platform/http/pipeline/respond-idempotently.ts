import type { FastifyReply, FastifyRequest } from 'fastify'
import type { RouteDependencies } from '../../../app/http/route-dependencies.ts'
import type { Caller } from '../../../partners/caller.ts'
import type { ResponseRecorder } from '../../db/database.ts'
import { claimIdempotencyKey, markReplayed } from '../../idempotency/idempotency-http.ts'
import { rawBody } from '../plugins/body.ts'
import type { Operation, ResponseSecrets, Route } from '../route.ts'
import { canonicalPath, sendJson } from './read-request.ts'

/** How an operation on a partner's rows runs. */
interface KeyedCall {
  caller: Caller
  /** Undefined for a request without an `Idempotency-Key`. */
  key: string | undefined
  /** Runs the operation. With the caller's recorder, it stores its response in the transaction of its change. */
  run(caller: Caller): Promise<unknown>
  /** Writes the audit entry for what a response shows, before it is sent. */
  recordRead(): Promise<void>
}

/**
 * Responds to a request: with the stored response if its `Idempotency-Key` was used, otherwise by running the
 * operation.
 */
export async function respondIdempotently(
  request: FastifyRequest,
  reply: FastifyReply,
  deps: RouteDependencies,
  route: Operation & Pick<Route, 'present'> & { secrets?: ResponseSecrets | undefined },
  { caller, key, run, recordRead }: KeyedCall,
): Promise<FastifyReply> {
  const { method, operationId, secrets } = route
  const responseTo = (result: unknown) => route.present(result, { now: caller.now, quotePolicy: deps.quotePolicy })
  const runAs = async (asking: Caller) => {
    const result = await run(asking)
    await recordRead()
    return result
  }
  if (key === undefined) return sendJson(reply, JSON.stringify(responseTo(await runAs(caller))))
  const asked = {
    partnerId: caller.partnerId,
    key,
    method,
    path: canonicalPath(request, route),
    body: rawBody(request),
  }
  const claim = await claimIdempotencyKey(deps, asked, (result) => {
    const response = responseTo(result)
    return JSON.stringify(secrets === undefined ? response : secrets.remove(response, result))
  })
  if (claim.kind === 'replay') {
    await recordRead()
    markReplayed(reply)
    if (secrets === undefined) return sendJson(reply, claim.response)
    return sendJson(reply, JSON.stringify(await secrets.restore(deps, caller, JSON.parse(claim.response))))
  }
  try {
    let recorded = false
    const responseRecorder: ResponseRecorder = {
      effectKey: claim.recorder.effectKey,
      record: async (...args) => {
        await claim.recorder.record(...args)
        recorded = true
      },
    }
    const result = await runAs({ ...caller, responseRecorder })
    if (!recorded) throw new Error(`${operationId} ended without storing its response in a transaction`)
    return sendJson(reply, JSON.stringify(responseTo(result)))
  } catch (error) {
    // If even this fails, the claim expires after a while.
    await claim
      .release()
      .catch((failure: unknown) => request.log.warn({ err: failure }, 'releasing an Idempotency-Key failed'))
    throw error
  }
}

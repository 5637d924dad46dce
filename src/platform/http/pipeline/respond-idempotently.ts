import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'
import type { RouteDependencies } from '../../../app/http/route-dependencies.ts'
import type { Caller } from '../../../partners/caller.ts'
import type { ResponseRecorder } from '../../db/database.ts'
import { claimIdempotencyKey, markReplayed } from '../../idempotency/idempotency-http.ts'
import { rawBody } from '../plugins/body.ts'
import type { Operation, ResponseSecrets, Route } from '../route.ts'
import { canonicalPath, sendJson } from './read-request.ts'

/** How an operation on a partner's rows runs. */
interface CallToRun {
  caller: Caller
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
  { key, ...call }: CallToRun & { key: string | undefined },
): Promise<FastifyReply> {
  const keyed = key === undefined ? undefined : { key, path: canonicalPath(request, route), body: rawBody(request) }
  const { json, isReplayed } = await runIdempotently(deps, route, call, keyed, request.log)
  if (isReplayed) markReplayed(reply)
  return sendJson(reply, json)
}

/**
 * Runs an operation once for its `Idempotency-Key`, if it has one: the path and the body say whether a later call with
 * the key is the same. Returns the response, or the stored one.
 */
export async function runIdempotently(
  deps: RouteDependencies,
  route: Operation & Pick<Route, 'present'> & { secrets?: ResponseSecrets | undefined },
  { caller, run, recordRead }: CallToRun,
  keyed: { key: string; path: string; body: Buffer } | undefined,
  log: FastifyBaseLogger,
): Promise<{ json: string; isReplayed: boolean }> {
  const { method, operationId, secrets } = route
  const responseTo = (result: unknown) => route.present(result, { ...caller, quotePolicy: deps.quotePolicy })
  const runAs = async (asking: Caller) => {
    const result = await run(asking)
    await recordRead()
    return result
  }
  if (keyed === undefined) return { json: JSON.stringify(responseTo(await runAs(caller))), isReplayed: false }
  const asked = { partnerId: caller.partnerId, method, ...keyed }
  const claim = await claimIdempotencyKey(deps, asked, (result) => {
    const response = responseTo(result)
    return JSON.stringify(secrets === undefined ? response : secrets.remove(response, result))
  })
  if (claim.kind === 'replay') {
    await recordRead()
    if (secrets === undefined) return { json: claim.response, isReplayed: true }
    const restored = await secrets.restore(deps, caller, JSON.parse(claim.response))
    return { json: JSON.stringify(restored), isReplayed: true }
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
    return { json: JSON.stringify(responseTo(result)), isReplayed: false }
  } catch (error) {
    // If even this fails, the claim expires after a while.
    await claim.release().catch((failure: unknown) => log.warn({ err: failure }, 'releasing an Idempotency-Key failed'))
    throw error
  }
}

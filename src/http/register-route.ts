import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Origin } from '../db/access.ts'
import type { Caller } from '../domain/auth/caller.ts'
import { consoleScope } from '../domain/auth/console/console-sessions.ts'
import type { Scope } from '../domain/auth/scopes.ts'
import { DomainError } from '../kernel/errors.ts'
import { notePartner } from '../kernel/request-context.ts'
import { keepConnection } from './connections.ts'
import { claimIdempotencyKey, markReplayed, readIdempotencyKey } from './idempotency.ts'
import { removeOptionalNulls } from './optional-nulls.ts'
import { noteCaller } from './plugins/access-log.ts'
import { authenticate, rejectSuspended, requireScope } from './plugins/authenticate.ts'
import { isBodyEmpty, jsonBody, rawBody, rejectBody } from './plugins/body.ts'
import type { ConsoleGate } from './plugins/console-gate.ts'
import type { RateLimit } from './plugins/rate-limit.ts'
import type { Route, RouteRequest } from './route.ts'
import type { DeploymentServices, Services } from './services.ts'
import { shownByOperation } from './shown-data.ts'
import { bodyValidator, type PartValidator, queryValidator, rejectInvalidFields } from './validation.ts'

const noQuery: PartValidator = (value) =>
  Object.keys(value as object).map((name) => ({
    pointer: `/query/${name}`,
    code: 'unknown_field',
    detail: 'This operation has no query parameters.',
    isShape: true,
  }))

/** The rate limits. Each partner's calls are counted separately. */
export interface RouteLimits {
  /** The limit on all calls together. */
  calls: RateLimit
  /** The limit on calls that query slow upstreams. */
  upstreams: RateLimit
}

/** A call whose token was accepted. */
interface Authorised {
  caller: Caller
  services: Services
  scopes: readonly Scope[]
}

/**
 * Registers an operation of the route table. The order of checks is always the same: Accept header, authentication, rate limits,
 * suspension, scope, the stored response of an idempotency key, and only then the request itself. Once the caller is known, the database only
 * shows that partner's rows.
 */
export function registerRoute(
  app: FastifyInstance,
  route: Route,
  { databases, ...common }: DeploymentServices,
  limits: RouteLimits,
  gate: Pick<ConsoleGate, 'tokenOf'>,
): void {
  const tokenOfConsole = route.scope === consoleScope ? gate.tokenOf : undefined
  const checkQuery = route.query === undefined ? noQuery : queryValidator(route.query)
  const shown = shownByOperation(route)
  const checkBody = route.body === undefined ? undefined : bodyValidator(route.body)

  app.route({
    method: route.method,
    url: `/partner-api${route.path.replace(/\{(\w+)\}/g, ':$1')}`,
    config: { operationId: route.operationId },
    handler: async (request, reply) => {
      rejectUnacceptable(request)
      const grant = await authenticate(common, request, reply, tokenOfConsole)
      noteCaller(request, grant)
      keepConnection(request)
      notePartner(grant.partnerId)
      await limits.calls.consume(grant.partnerId, reply)
      rejectSuspended(grant, request)
      requireScope(grant, route.scope, reply)
      const { scopes } = grant
      const services: Services = {
        ...common,
        db: databases.forPartner(grant.partnerId, originOf(grant.clientId, request, route)),
        upstreamAllowance: { charge: () => limits.upstreams.consume(grant.partnerId, reply) },
      }
      const caller: Caller = {
        partnerId: grant.partnerId,
        clientId: grant.clientId,
        requestId: request.id,
        now: grant.now,
      }
      const key = route.method === 'POST' ? readIdempotencyKey(request) : undefined
      if (key === undefined) {
        const response = JSON.stringify(route.present(await run(request, { caller, services, scopes })))
        // A POST changed something, which has its own audit entry. A PATCH may have changed nothing.
        if (route.method !== 'POST' && request.method !== 'HEAD') await recordRead(request, services)
        return send(reply, response)
      }
      return answerOnce(request, reply, { caller, services, scopes, key })
    },
  })

  async function recordRead(request: FastifyRequest, { db, readLog }: Services): Promise<void> {
    if (shown !== undefined) await readLog.record(db, { subjectType: shown, customerId: idOf(request) })
  }

  async function run(request: FastifyRequest, authorised: Authorised): Promise<unknown> {
    return route.handle(authorised.services, readRequest(request, authorised))
  }

  function readRequest(
    request: FastifyRequest,
    { caller, services, scopes }: Authorised,
  ): RouteRequest<unknown, unknown> {
    const query = { ...(request.query as object) }
    const found = checkQuery(query)
    let body: unknown
    if (checkBody === undefined || route.body === undefined) rejectBody(request)
    else if (!(route.bodyIsOptional && isBodyEmpty(request))) {
      body = jsonBody(request)
      if (route.method !== 'PATCH') removeOptionalNulls(route.body, body)
      found.push(...checkBody(body))
    }
    rejectInvalidFields(found, body === undefined ? [] : (route.refine?.(body, caller, services) ?? []))
    return { caller, scopes, id: idOf(request), query, body, isHead: request.method === 'HEAD' }
  }

  async function answerOnce(
    request: FastifyRequest,
    reply: FastifyReply,
    { caller, services, scopes, key }: Authorised & { key: string },
  ): Promise<FastifyReply> {
    const presentStored = (result: unknown) => {
      const answer = route.present(result)
      return JSON.stringify(route.secrets === undefined ? answer : route.secrets.remove(answer, result))
    }
    // Built from the specification's path, so letter case in the URL makes no difference, but a different id or query does.
    const path =
      route.path.replace(/\{\w+\}/, idOf(request)) +
      (request.url.includes('?') ? request.url.slice(request.url.indexOf('?')) : '')
    const claim = await claimIdempotencyKey(
      services,
      { partnerId: caller.partnerId, key, method: route.method, path, body: rawBody(request) },
      presentStored,
    )
    if (claim.kind === 'replay') {
      await recordRead(request, services)
      markReplayed(reply)
      if (route.secrets === undefined) return send(reply, claim.answer)
      return send(reply, JSON.stringify(await route.secrets.restore(services, caller, JSON.parse(claim.answer))))
    }
    try {
      let recorded = false
      const responseRecorder = {
        effectKey: claim.recorder.effectKey,
        record: async (...args: Parameters<typeof claim.recorder.record>) => {
          await claim.recorder.record(...args)
          recorded = true
        },
      }
      const result = await run(request, { caller: { ...caller, responseRecorder }, services, scopes })
      if (!recorded) throw new Error(`${route.operationId} ended without storing its response in a transaction`)
      return send(reply, JSON.stringify(route.present(result)))
    } catch (error) {
      // If even this fails, the claim expires after a while.
      await claim
        .release()
        .catch((failure: unknown) => request.log.warn({ err: failure }, 'releasing an Idempotency-Key failed'))
      throw error
    }
  }
}

/** The origin that the audit log records for the changes made by a request. */
function originOf(credential: string, request: FastifyRequest, { operationId }: Route): Origin {
  return { actor: 'client', credential, requestId: request.id, operation: operationId }
}

/**
 * Returns the id in the path. A malformed id is treated as unknown, not invalid (docs/api-behaviour.md#conventions), and never reaches
 * the database.
 */
function idOf(request: FastifyRequest): string {
  const [id] = Object.values(request.params as Record<string, string>)
  if (id === undefined) return ''
  if (/^[\x21-\x7e]{1,200}$/.test(id)) return id
  throw new DomainError(
    'not_found',
    'There is nothing with this id. Check the id, and make sure that it was created with your credentials.',
  )
}

function send(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('Content-Type', 'application/json; charset=utf-8').header('Cache-Control', 'no-store').send(json)
}

function rejectUnacceptable(request: FastifyRequest): void {
  if (
    request.headers.accept === undefined ||
    request.accepts().type(['application/json', 'application/problem+json']) !== false
  )
    return
  throw new DomainError(
    'not_acceptable',
    'Every response is JSON. Send "Accept: application/json" or no Accept header.',
  )
}

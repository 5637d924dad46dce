import { Readable } from 'node:stream'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies, RouteDependencies } from '../../app/http/route-dependencies.ts'
import type { Caller } from '../../partners/caller.ts'
import { dependenciesOfPartner } from '../../partners/dependencies-of-partner.ts'
import { rejectWrongAddress } from '../../partners/http/authenticate.ts'
import { callsOfFile, type RateLimit } from '../../partners/http/rate-limit.ts'
import type { OperatorCaller } from '../../partners/operators/operator-scopes.ts'
import type { OperatorGrant, OperatorTokens } from '../../partners/operators/operator-tokens.ts'
import { asErrorDescription } from '../../partners/token.schema.ts'
import type { Origin } from '../../platform/db/access.ts'
import { withoutEffect } from '../../platform/db/database.ts'
import { keepConnection } from '../../platform/http/connections.ts'
import {
  createRequestReader,
  parameterOf,
  rejectUnacceptable,
  sendJson,
} from '../../platform/http/pipeline/read-request.ts'
import { respondIdempotently } from '../../platform/http/pipeline/respond-idempotently.ts'
import { logSecurityEvent, noteCaller } from '../../platform/http/plugins/access-log.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-http.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import type { OperatorRequest, OperatorRoute } from './operator-route.ts'

/** Where the operator API's paths begin. */
export const operatorPrefix = '/operator-api'

/** A page of a feed or a list counts as a call for each of so many rows that it may have. */
const rowsOfCall = 100

/**
 * Registers an operation of the operator API, with the same checks in the same order as the partner API: Accept header,
 * token, rate limit, scope, idempotency key, and then the request itself.
 */
export function registerOperatorRoute(
  app: FastifyInstance,
  route: OperatorRoute,
  deployment: DeploymentDependencies,
  limit: RateLimit,
): void {
  const { databases, ...common } = deployment
  const read = createRequestReader(route)
  const { run } = route

  app.route({
    method: route.method,
    url: `${operatorPrefix}${route.path.replace(/\{(\w+)\}/g, ':$1')}`,
    config: { operationId: route.operationId },
    handler: async (request, reply) => {
      rejectUnacceptable(request, route)
      const grant = await authenticateOperator(common.operatorTokens, request, reply)
      noteCaller(request, grant)
      keepConnection(request)
      await limit.consume(grant.clientId, reply)
      requireOperatorScope(grant, route, reply)
      const { clientId, scopes, now } = grant
      const origin: Origin = {
        actor: 'operator',
        credential: clientId,
        requestId: request.id,
        operation: route.operationId,
      }
      const system = databases.forSystem(origin)
      const acrossPartners = { ...common, db: request.method === 'HEAD' ? withoutEffect(system) : system }
      const parameter = (name: string) => parameterOf(request, name)
      const validated = (at: { now: Date } = { now }): OperatorRequest<unknown, unknown> => ({
        ...{ scopes, parameter },
        ...read(request, (body) => route.refine?.(body, at, common) ?? []),
      })

      if ('forAll' in run) {
        const given = route.method === 'POST' ? readIdempotencyKey(request) : undefined
        const requestKey = given === undefined ? undefined : `${clientId} ${given}`
        const caller: OperatorCaller = { clientId, requestId: request.id, now, requestKey }
        const asked = validated()
        const { limit: rows = 0 } = (asked.query ?? {}) as { limit?: number }
        await limit.charge(clientId, reply, { calls: Math.ceil(rows / rowsOfCall) - 1 })
        const result = await run.forAll(acrossPartners, caller, asked)
        return sendJson(reply, JSON.stringify(route.present(result, { now, quotePolicy: common.quotePolicy })))
      }
      if ('streams' in run) {
        const asked = validated()
        await limit.charge(clientId, reply, { calls: callsOfFile - 1 })
        const { contentType, headers, text } = await run.streams(acrossPartners, asked)
        return reply
          .headers({ 'Content-Type': contentType, 'Cache-Control': 'no-store', ...headers })
          .send(Readable.from(request.method === 'HEAD' ? [] : text, { objectMode: false }))
      }
      const key = route.method === 'POST' ? readIdempotencyKey(request) : undefined
      const owner = await run.owner(acrossPartners, parameter)
      if (owner === undefined) throw nothingHere()
      const { partnerId, clockOffsetSeconds } = owner
      const deps: RouteDependencies = {
        ...dependenciesOfPartner(deployment, { partnerId, origin, method: request.method }),
        upstreamAllowance: { charge: () => limit.consume(clientId, reply) },
      }
      const caller: Caller = {
        partnerId,
        clientId,
        requestId: request.id,
        now: new Date(now.getTime() + clockOffsetSeconds * 1_000),
      }
      return respondIdempotently(request, reply, deps, route, {
        caller,
        // Kept apart from the partner's own keys and from those of the operator's other programs.
        key: key === undefined ? undefined : `operator ${clientId} ${key}`,
        run: (asking) => run.forPartner(deps, asking, validated(caller), acrossPartners),
        recordRead: () => recordRead(request, deps),
      })
    },
  })

  async function recordRead(request: FastifyRequest, { db, readLog }: RouteDependencies): Promise<void> {
    if (route.shows !== undefined)
      await readLog.record(db, { subjectType: route.shows, customerId: parameterOf(request, 'customerId') })
  }
}

async function authenticateOperator(
  tokens: OperatorTokens,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<OperatorGrant> {
  const { authorization } = request.headers
  const [, token] = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i.exec(authorization ?? '') ?? []
  const grant =
    token === undefined
      ? ({ rejected: 'the Authorization header is missing or is not a Bearer token' } as const)
      : await tokens.verify(token)
  if (!('rejected' in grant)) {
    rejectWrongAddress(grant, request)
    return grant
  }
  if (authorization !== undefined) logSecurityEvent(request, 'access.refused', { reason: grant.rejected })
  const error =
    authorization === undefined
      ? ''
      : `, error="invalid_token", error_description="${asErrorDescription(grant.rejected)}"`
  reply.header('WWW-Authenticate', `Bearer realm="housebill-operator"${error}`)
  throw new DomainError(
    'unauthenticated',
    `The access token was rejected: ${grant.rejected}. Get one from POST ${operatorPrefix}/Auth/token with credentials from "housebill operator create".`,
  )
}

function requireOperatorScope({ scopes }: OperatorGrant, { scope }: OperatorRoute, reply: FastifyReply): void {
  if (scopes.includes(scope)) return
  logSecurityEvent(reply.request, 'scope.refused', { reason: scope })
  reply.header('WWW-Authenticate', `Bearer realm="housebill-operator", error="insufficient_scope", scope="${scope}"`)
  throw new DomainError(
    'insufficient_scope',
    `This operation requires the scope ${scope}, which the token does not have. Use credentials that have this scope.`,
  )
}

function nothingHere(): DomainError {
  return new DomainError(
    'not_found',
    'There is nothing with this id. Check the id, and that it belongs to this environment.',
  )
}

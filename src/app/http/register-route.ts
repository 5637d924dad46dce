import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { auditedReadOf } from '../../onboarding/audited-reads.ts'
import type { Caller } from '../../partners/caller.ts'
import { dependenciesOfPartner } from '../../partners/dependencies-of-partner.ts'
import { authenticate, rejectSuspended, requireScope } from '../../partners/http/authenticate.ts'
import type { RateLimit } from '../../partners/http/rate-limit.ts'
import type { Scope } from '../../partners/scopes.ts'
import type { AccessGrant } from '../../partners/verify-token.ts'
import type { Origin } from '../../platform/db/access.ts'
import { keepConnection } from '../../platform/http/connections.ts'
import { createRequestReader, parameterOf, rejectUnacceptable } from '../../platform/http/pipeline/read-request.ts'
import { respondIdempotently } from '../../platform/http/pipeline/respond-idempotently.ts'
import { noteCaller } from '../../platform/http/plugins/access-log.ts'
import { type Route, type RouteRequest, warningHeader } from '../../platform/http/route.ts'
import { bodyLimitBytes } from '../../platform/http/server-limits.ts'
import { readIdempotencyKey } from '../../platform/idempotency/idempotency-http.ts'
import { notePartner } from '../../platform/kernel/request-context.ts'
import { documentedCodes } from '../../platform/openapi/operation.ts'
import type { DeploymentDependencies, RouteDependencies } from './route-dependencies.ts'
import { readTestError, throwTestError } from './test-error.ts'

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
  deps: RouteDependencies
  scopes: readonly Scope[]
  /** The partner's own limit on requests; null for the deployment's. */
  quota: number | null
  /** Called when the operation has taken effect, before its response is sent. */
  done(): Promise<void>
}

/**
 * Registers an operation of the route table. The order of checks is always the same: Accept header, authentication,
 * rate limits, suspension, scope, the stored response of an idempotency key, and only then the request itself. Once the
 * caller is known, the database only shows that partner's rows.
 */
export function registerRoute(
  app: FastifyInstance,
  route: Route,
  deployment: DeploymentDependencies,
  limits: RouteLimits,
): void {
  const read = createRequestReader(route)
  const shown = auditedReadOf(route)
  const documented = { operationId: route.operationId, codes: documentedCodes(route) }

  app.route({
    method: route.method,
    url: `/partner-api${route.path.replace(/\{(\w+)\}/g, ':$1')}`,
    config: { operationId: route.operationId },
    ...(route.bodyLimit !== undefined && { bodyLimit: route.bodyLimit, onRequest: admitLarge }),
    handler: async (request, reply) => {
      rejectUnacceptable(request)
      const grant = await authenticate(deployment, request, reply)
      noteCaller(request, grant)
      keepConnection(request)
      notePartner(grant.partnerId)
      await limits.calls.consume(grant.partnerId, reply, grant.settings.requestsPerSecond)
      const done = deployment.realm === 'sandbox' ? await startTestError(request, grant, reply) : doNothing
      rejectSuspended(grant, request)
      requireScope(grant, route.scope, reply)
      if (route.alsoScope !== undefined) requireScope(grant, route.alsoScope, reply)
      const { scopes } = grant
      const deps: RouteDependencies = {
        ...dependenciesOfPartner(deployment, {
          partnerId: grant.partnerId,
          origin: originOf(grant.clientId, request, route),
          method: request.method,
        }),
        upstreamAllowance: { charge: () => limits.upstreams.consume(grant.partnerId, reply) },
      }
      const caller: Caller = {
        partnerId: grant.partnerId,
        clientId: grant.clientId,
        requestId: request.id,
        now: grant.now,
      }
      return respondIdempotently(request, reply, deps, route, {
        caller,
        key: route.method === 'POST' ? readIdempotencyKey(request) : undefined,
        run: (asking) =>
          run(request, reply, { caller: asking, deps, scopes, quota: grant.settings.requestsPerSecond, done }),
        recordRead: () => recordRead(request, deps),
      })
    },
  })

  /** From nobody is a large body received. One in chunks has no length. */
  async function admitLarge(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const { 'content-length': length = Infinity } = request.headers
    if (Number(length) > bodyLimitBytes) await authenticate(deployment, request, reply)
  }

  // Also after a change, which may have found nothing to change and so written no entry.
  async function recordRead(request: FastifyRequest, { db, readLog }: RouteDependencies): Promise<void> {
    if (shown !== undefined) await readLog.record(db, { subjectType: shown, customerId: idOf(request) })
  }

  async function run(request: FastifyRequest, reply: FastifyReply, authorised: Authorised): Promise<unknown> {
    const input = readRequest(request, authorised)
    const { partnerId } = authorised.caller
    // The request itself has counted already.
    if (route.callsOf !== undefined)
      await limits.calls.charge(partnerId, reply, { calls: route.callsOf(input.body) - 1, quota: authorised.quota })
    const warning = route.warningOf?.(input.query)
    if (warning !== undefined) reply.header(warningHeader, warning)
    const result = await route.handle(authorised.deps, input)
    await authorised.done()
    return result
  }

  /** Throws the error that the request asks for: now, or when the function that it returns is called. */
  async function startTestError(
    request: FastifyRequest,
    { settings }: AccessGrant,
    reply: FastifyReply,
  ): Promise<() => Promise<void>> {
    const wanted = readTestError(request, documented)
    if (wanted === undefined) return doNothing
    const { requestsPerSecond } = settings
    const fail = () => throwTestError(wanted, { reply, scope: route.scope, calls: limits.calls, requestsPerSecond })
    return wanted.when === 'after' ? fail : fail()
  }

  function readRequest(request: FastifyRequest, { caller, deps, scopes }: Authorised): RouteRequest<unknown, unknown> {
    const { query, body } = read(request, (sent) => route.refine?.(sent, caller, deps) ?? [])
    return {
      caller,
      scopes,
      id: idOf(request),
      parameter: (name) => parameterOf(request, name),
      query,
      body,
    }
  }
}

const doNothing = async () => undefined

/** The origin that the audit log records for the changes made by a request. */
function originOf(credential: string, request: FastifyRequest, { operationId }: Route): Origin {
  return { actor: 'client', credential, requestId: request.id, operation: operationId }
}

/** The first parameter of a path, such as its `{id}`; empty if it has none. */
function idOf(request: FastifyRequest): string {
  const [name] = Object.keys(request.params as Record<string, string>)
  return name === undefined ? '' : parameterOf(request, name)
}

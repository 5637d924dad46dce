import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { DeploymentDependencies } from '../app/http/route-dependencies.ts'
import { auditedReadOf } from '../onboarding/audited-reads.ts'
import { checkedBody } from '../pages/checked-body.ts'
import type { Caller } from '../partners/caller.ts'
import { dependenciesOfPartner } from '../partners/dependencies-of-partner.ts'
import { rejectSuspended } from '../partners/http/authenticate.ts'
import type { RateLimit } from '../partners/http/rate-limit.ts'
import { findPartnerOfPerson } from '../partners/partners.store.ts'
import { isScope, type Scope } from '../partners/scopes.ts'
import type { AccessGrant } from '../partners/verify-token.ts'
import type { PersonHere } from '../people/sessions.ts'
import { runIdempotently } from '../platform/http/pipeline/respond-idempotently.ts'
import { noteCaller } from '../platform/http/plugins/access-log.ts'
import type { RouteMethod, TypedRoute } from '../platform/http/route.ts'
import { queryValidator, rejectInvalidFields } from '../platform/http/validation.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { notePartner } from '../platform/kernel/request-context.ts'

/** Who calls, and what they may do: a program's credentials, or one of the partner's people. */
export type Grant = Omit<AccessGrant, 'token'>

/** The limits on calls of a partner's programs, with which pages are counted. */
export interface CallLimits {
  calls: RateLimit
  upstreams: RateLimit
}

/**
 * Calls an operation of the partner API and returns its response, as the partner's program would get it: with the scope
 * and the checks of the API, for rows of the partner only. `query` leaves out what is empty. A call with a `key` takes
 * effect once, and once more returns the same response.
 */
export type CallOperation = <Reply extends TSchema, Query extends TObject, Body extends TSchema>(
  route: TypedRoute<RouteMethod, string, Reply, Body, Query>,
  given?: Given<Static<Query>, Static<Body>>,
) => Promise<Static<Reply>>

interface Given<Query, Body> {
  /** The first parameter of the path. */
  id?: string | undefined
  /** Further parameters of the path, by name. */
  parameters?: Readonly<Record<string, string>>
  query?: { [Name in keyof Query]?: Query[Name] | undefined }
  body?: Body
  key?: string
}

/** What one of a partner's people may do now; undefined if the partner's access is over. */
export async function grantOfPerson(
  { databases, clock }: DeploymentDependencies,
  { person, scopes, credential }: PersonHere,
): Promise<Grant | undefined> {
  const partner = await findPartnerOfPerson(databases.system, person.partnerId)
  if (partner === undefined || partner.partnerDisabledAt !== null) return undefined
  return {
    partnerId: person.partnerId,
    clientId: credential,
    scopes: scopes.filter(isScope),
    now: new Date(clock.now().getTime() + partner.clockOffsetSeconds * 1_000),
    isSuspended: partner.partnerSuspendedAt !== null,
    settings: partner.settings,
    allowedFrom: null,
  }
}

/**
 * Counts the request of a page for the partner, and returns what the page calls operations with. Throws `rate_limited`.
 */
export async function admitCalls(
  deployment: DeploymentDependencies,
  limits: CallLimits,
  { request, reply, grant }: { request: FastifyRequest; reply: FastifyReply; grant: Grant },
): Promise<CallOperation> {
  const { partnerId, clientId, scopes, now, settings } = grant
  noteCaller(request, grant)
  notePartner(partnerId)
  await limits.calls.consume(partnerId, reply, settings.requestsPerSecond)
  const caller: Caller = { partnerId, clientId, requestId: request.id, now }
  return async (route, { id = '', parameters = {}, query = {}, body, key }: Given<object, unknown> = {}) => {
    rejectSuspended(grant, request)
    for (const scope of [route.scope, route.alsoScope ?? route.scope])
      if (!scopes.includes(scope)) throw new DomainError('insufficient_scope', needsScope(scope))
    // Another id is unknown. It never reaches the database.
    if (![id, ...Object.values(parameters)].every((each) => /^[\x20-\x7e]{0,255}$/.test(each)))
      throw new DomainError('not_found', 'There is nothing with this id.')
    const { operationId: operation, method } = route
    const origin = { actor: 'client', credential: clientId, requestId: request.id, operation } as const
    const deps = {
      ...dependenciesOfPartner(deployment, { partnerId, origin, method }),
      upstreamAllowance: { charge: () => limits.upstreams.consume(partnerId, reply) },
    }
    const sentQuery = Object.fromEntries(
      Object.entries(query).filter(([, value]) => value !== undefined && value !== ''),
    )
    if (route.query !== undefined) rejectInvalidFields(queryValidator(route.query)(sentQuery), [], [])
    const checked = body === undefined ? undefined : checkedBody<TSchema, unknown>(route, body, { caller, deps })
    if (route.callsOf !== undefined)
      await limits.calls.charge(partnerId, reply, {
        calls: route.callsOf(checked) - 1,
        quota: settings.requestsPerSecond,
      })
    const run = (by: Caller) =>
      route.handle(deps, {
        caller: by,
        scopes,
        id,
        parameter: (name) => parameters[name] ?? '',
        query: sentQuery,
        body: checked,
      })
    const shown = auditedReadOf(route)
    const recordRead = async () => {
      if (shown !== undefined) await deps.readLog.record(deps.db, { subjectType: shown, customerId: id })
    }
    const path = route.path.replace('{id}', id).replaceAll(/\{(\w+)\}/g, (_, name: string) => parameters[name] ?? '')
    const sent =
      key !== undefined && /^[\x21-\x7e]{1,255}$/.test(key)
        ? { key, path, body: Buffer.from(JSON.stringify(body ?? {})) }
        : undefined
    const { json } = await runIdempotently(deps, route, { caller, run, recordRead }, sent, request.log)
    return JSON.parse(json)
  }
}

/** What somebody without a scope reads. */
export function needsScope(scope: Scope): string {
  return `This needs the scope ${scope}, which you do not have. Ask the operator for credentials that have it, or an admin for a role that has it, then sign out and sign in again.`
}

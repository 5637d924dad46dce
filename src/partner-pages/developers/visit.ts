import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static, TObject, TSchema } from 'typebox'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import { checkedBody } from '../../pages/checked-body.ts'
import { type Cookie, formTokenOf } from '../../pages/cookies.ts'
import type { Html } from '../../pages/html.ts'
import type { GoTo, Page, PageAddress, SignedIn } from '../../pages/page-set.ts'
import type { Caller } from '../../partners/caller.ts'
import { dependenciesOfPartner } from '../../partners/dependencies-of-partner.ts'
import { rejectWrongAddress } from '../../partners/http/authenticate.ts'
import type { RateLimit } from '../../partners/http/rate-limit.ts'
import type { Scope } from '../../partners/scopes.ts'
import { type ProgramSessions, sessionScopes } from '../../partners/sessions/program-sessions.ts'
import type { AccessGrant } from '../../partners/verify-token.ts'
import { runIdempotently } from '../../platform/http/pipeline/respond-idempotently.ts'
import { noteCaller } from '../../platform/http/plugins/access-log.ts'
import type { RouteMethod, TypedRoute } from '../../platform/http/route.ts'
import { queryValidator, rejectInvalidFields } from '../../platform/http/validation.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { notePartner } from '../../platform/kernel/request-context.ts'

/** Where the pages are. */
export const root = '/workplace/developers'

/** Somebody who works with a partner's program, and what they may do. */
export interface DeveloperVisit extends SignedIn, AccessGrant {
  realm: 'sandbox' | 'live'
  session: SignedIn['session'] & { expiresAt: Date }
  call: CallOperation
  /** Ends the session in every process and revokes its token. */
  signOut(): Promise<void>
}

/**
 * Calls an operation of the partner API and returns its response, as the partner's program would get it: with the scope
 * and the checks of the API, for rows of the partner only. `query` leaves out what is empty. A call with a `key` takes
 * effect once, and once more returns the same response.
 */
type CallOperation = <Reply extends TSchema, Query extends TObject, Body extends TSchema>(
  route: TypedRoute<RouteMethod, string, Reply, Body, Query>,
  given?: Given<Static<Query>, Static<Body>>,
) => Promise<Static<Reply>>

interface Given<Query, Body> {
  id?: string | undefined
  query?: { [Name in keyof Query]?: Query[Name] | undefined }
  body?: Body
  key?: string
}

/** A page for developers. */
export interface DeveloperPage extends Page<DeveloperVisit, GoTo> {
  /** The scope that it needs; absent for what everybody who signed in may see. */
  may?: Scope
}

/** The title of a page and its heading. */
export const titled = (title: string, body: Html, back?: string) => ({ title, body, back })

/** Finds out who is here. */
export function createDeveloperVisits(
  deployment: DeploymentDependencies,
  {
    sessions,
    cookie,
    limits,
  }: { sessions: ProgramSessions; cookie: Cookie; limits: { calls: RateLimit; upstreams: RateLimit } },
) {
  /** Whose session the cookie names, as things are now; undefined if it is over. */
  return async function visitOf(
    request: FastifyRequest,
    reply: FastifyReply,
    address: PageAddress,
  ): Promise<DeveloperVisit | undefined> {
    const secret = cookie.in(request)
    const session = secret === undefined ? undefined : await sessions.find(secret)
    if (secret === undefined || session === undefined) return undefined
    const grant = await deployment.tokenVerifier.verify(session.accessToken)
    if ('rejected' in grant) return undefined
    rejectWrongAddress(grant, request)
    noteCaller(request, grant)
    notePartner(grant.partnerId)
    await limits.calls.consume(grant.partnerId, reply, grant.settings.requestsPerSecond)
    const scopes = grant.scopes.filter((scope) => sessionScopes.includes(scope))
    return {
      ...address,
      ...grant,
      scopes,
      realm: deployment.realm,
      session: { formToken: formTokenOf(secret), expiresAt: session.expiresAt },
      call: callerOf(request, reply, { ...grant, scopes }),
      async signOut() {
        await deployment.revokedTokens.add(grant.token)
        await sessions.end(secret)
        cookie.clear(reply)
      },
    }
  }

  function callerOf(request: FastifyRequest, reply: FastifyReply, grant: AccessGrant): CallOperation {
    const { partnerId, clientId, scopes, now } = grant
    const caller: Caller = { partnerId, clientId, requestId: request.id, now }
    return async (route, { id = '', query = {}, body, key }: Given<object, unknown> = {}) => {
      if (!scopes.includes(route.scope)) throw new DomainError('insufficient_scope', needsScope(route.scope))
      // Another id is unknown. It never reaches the database.
      if (!/^[\x20-\x7e]{0,255}$/.test(id)) throw new DomainError('not_found', 'There is nothing with this id.')
      const origin = {
        actor: 'client',
        credential: clientId,
        requestId: request.id,
        operation: route.operationId,
      } as const
      const deps = {
        ...dependenciesOfPartner(deployment, { partnerId, origin, method: request.method }),
        upstreamAllowance: { charge: () => limits.upstreams.consume(partnerId, reply) },
      }
      const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''))
      if (route.query !== undefined) rejectInvalidFields(queryValidator(route.query)(asked), [], [])
      const checked = body === undefined ? undefined : checkedBody<TSchema, unknown>(route, body, { caller, deps })
      const handle = (by: Caller) =>
        route.handle(deps, { caller: by, scopes, id, parameter: () => '', query: asked, body: checked })
      const path = route.path.replace('{id}', id)
      const sent =
        key !== undefined && /^[\x21-\x7e]{1,255}$/.test(key)
          ? { key, path, body: Buffer.from(JSON.stringify(body ?? {})) }
          : undefined
      const { json } = await runIdempotently(
        deps,
        route,
        { caller, run: handle, recordRead: async () => undefined },
        sent,
        request.log,
      )
      return JSON.parse(json)
    }
  }
}

/** What somebody without a scope reads. */
export function needsScope(scope: Scope): string {
  return `This needs the scope ${scope}, which your credentials do not have. Ask the operator for credentials that have it, then sign out and sign in with them.`
}

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
import { findClientIdOfPartner, findPartnerOfPerson } from '../../partners/partners.store.ts'
import { isScope, type Scope } from '../../partners/scopes.ts'
import { type ProgramSessions, sessionScopes } from '../../partners/sessions/program-sessions.ts'
import type { AccessGrant } from '../../partners/verify-token.ts'
import { sessionMinutes } from '../../people/begin-session.ts'
import { endSession, whoIsHere } from '../../people/sessions.ts'
import { runIdempotently } from '../../platform/http/pipeline/respond-idempotently.ts'
import { noteCaller } from '../../platform/http/plugins/access-log.ts'
import type { RouteMethod, TypedRoute } from '../../platform/http/route.ts'
import { queryValidator, rejectInvalidFields } from '../../platform/http/validation.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { notePartner } from '../../platform/kernel/request-context.ts'

/** Where the pages are. */
export const root = '/workplace/developers'

/** Who calls, and what they may do: a program's credentials, or a person with the role of a developer. */
type Grant = Omit<AccessGrant, 'token'>

/** Somebody who works on a partner's program. */
export interface DeveloperVisit extends SignedIn, Grant {
  realm: 'sandbox' | 'live'
  /** The client id, or the name of a person. */
  signedInAs: string
  session: SignedIn['session'] & { expiresAt: Date }
  call: CallOperation
  /** Ends the session in every process. */
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
  /** Whether a person must have signed in in the last 15 minutes, as for everything about credentials. */
  needsRecentSignIn?: boolean
}

/** The title of a page and its heading. */
export const titled = (title: string, body: Html, back?: string) => ({ title, body, back })

/** Somebody's session, whatever they signed in with. */
interface Here extends Pick<DeveloperVisit, 'signedInAs' | 'signOut'> {
  grant: Grant
  secret: string
  expiresAt: Date
}

/** Finds out who is here. */
export function createDeveloperVisits(
  deployment: DeploymentDependencies,
  {
    sessions,
    cookie,
    personCookie,
    limits,
  }: {
    sessions: ProgramSessions
    cookie: Cookie
    /** The cookie of the partner's people, who sign in at the workplace. */
    personCookie: Cookie
    limits: { calls: RateLimit; upstreams: RateLimit }
  },
) {
  return { visitOf, clientIdOf }

  /** Whose session a cookie names, as things are now; undefined if it is over. */
  async function visitOf(
    request: FastifyRequest,
    reply: FastifyReply,
    address: PageAddress,
    page: DeveloperPage,
  ): Promise<DeveloperVisit | undefined> {
    const here = (await programHere(request, reply)) ?? (await personHere(request, reply, page))
    if (here === undefined) return undefined
    const { signedInAs, secret, expiresAt, signOut } = here
    const grant = { ...here.grant, scopes: here.grant.scopes.filter((scope) => sessionScopes.includes(scope)) }
    rejectWrongAddress(grant, request)
    noteCaller(request, grant)
    notePartner(grant.partnerId)
    await limits.calls.consume(grant.partnerId, reply, grant.settings.requestsPerSecond)
    const session = { formToken: formTokenOf(secret), expiresAt }
    const { realm } = deployment
    return { ...address, ...grant, realm, signedInAs, session, call: callerOf(request, reply, grant), signOut }
  }

  /**
   * The client id that a reader of the documentation uses: that of their program or, for a person, of their partner's
   * oldest credentials. Undefined if no developer is signed in.
   */
  async function clientIdOf(request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
    const program = await programHere(request, reply)
    if (program !== undefined) return program.grant.clientId
    const { grant } = (await personHere(request, reply, {})) ?? {}
    if (grant === undefined || !grant.scopes.some((scope) => sessionScopes.includes(scope))) return undefined
    return findClientIdOfPartner(deployment.databases.system, grant.partnerId, deployment.clock.now())
  }

  async function programHere(request: FastifyRequest, reply: FastifyReply): Promise<Here | undefined> {
    const secret = cookie.in(request)
    const session = secret === undefined ? undefined : await sessions.find(secret)
    if (secret === undefined || session === undefined) return undefined
    const grant = await deployment.tokenVerifier.verify(session.accessToken)
    if ('rejected' in grant) return undefined
    const signOut = async () => {
      await deployment.revokedTokens.add(grant.token)
      await sessions.end(secret)
      cookie.clear(reply)
    }
    return { grant, secret, expiresAt: session.expiresAt, signedInAs: grant.clientId, signOut }
  }

  async function personHere(
    request: FastifyRequest,
    reply: FastifyReply,
    { needsRecentSignIn = false }: Pick<DeveloperPage, 'needsRecentSignIn'>,
  ): Promise<Here | undefined> {
    const { system } = deployment.databases
    const own = { ...deployment, db: system }
    const secret = personCookie.in(request)
    const here = secret === undefined ? undefined : await whoIsHere(own, secret, 'workplace')
    const partner = here && (await findPartnerOfPerson(system, here.person.partnerId))
    if (secret === undefined || here === undefined || partner === undefined || partner.partnerDisabledAt !== null)
      return undefined
    if (needsRecentSignIn && !here.isRecent) return undefined
    const { person, session, credential } = here
    const grant = {
      partnerId: person.partnerId,
      clientId: credential,
      scopes: here.scopes.filter(isScope),
      now: new Date(deployment.clock.now().getTime() + partner.clockOffsetSeconds * 1_000),
      isSuspended: partner.partnerSuspendedAt !== null,
      settings: partner.settings,
      allowedFrom: null,
    }
    const signOut = async () => {
      const origin = { actor: 'client', credential, requestId: request.id, operation: 'workplace sign-out' } as const
      await endSession({ ...own, db: deployment.databases.forSystem(origin) }, person, session.sessionId)
      personCookie.clear(reply)
    }
    const expiresAt = new Date(session.signedInAt.getTime() + sessionMinutes.longest * 60_000)
    return { grant, secret, expiresAt, signedInAs: person.name, signOut }
  }

  function callerOf(request: FastifyRequest, reply: FastifyReply, grant: Grant): CallOperation {
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
  return `This needs the scope ${scope}, which you do not have. Ask the operator for credentials that have it, or an admin for the role of a developer, then sign out and sign in again.`
}

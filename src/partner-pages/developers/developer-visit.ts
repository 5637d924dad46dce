import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import { type Cookie, formTokenOf } from '../../pages/cookies.ts'
import type { Html } from '../../pages/html.ts'
import type { GoTo, Page, PageAddress, SignedIn } from '../../pages/page-set.ts'
import { rejectWrongAddress } from '../../partners/http/authenticate.ts'
import { findClientIdOfPartner } from '../../partners/partners.store.ts'
import type { Scope } from '../../partners/scopes.ts'
import { type ProgramSessions, sessionScopes } from '../../partners/sessions/program-sessions.ts'
import { sessionMinutes } from '../../people/begin-session.ts'
import { endSession, whoIsHere } from '../../people/sessions.ts'
import { admitCalls, type CallLimits, type CallOperation, type Grant, grantOfPerson } from '../call-operation.ts'

/** Where the pages are. */
export const root = '/workplace/developers'

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
    limits: CallLimits
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
    const call = await admitCalls(deployment, limits, { request, reply, grant })
    const session = { formToken: formTokenOf(secret), expiresAt }
    const { realm } = deployment
    return { ...address, ...grant, realm, signedInAs, session, call, signOut }
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
    const grant = here && (await grantOfPerson(deployment, here))
    if (secret === undefined || here === undefined || grant === undefined) return undefined
    if (needsRecentSignIn && !here.isRecent) return undefined
    const { person, session, credential } = here
    const signOut = async () => {
      const origin = { actor: 'client', credential, requestId: request.id, operation: 'workplace sign-out' } as const
      await endSession({ ...own, db: deployment.databases.forSystem(origin) }, person, session.sessionId)
      personCookie.clear(reply)
    }
    const expiresAt = new Date(session.signedInAt.getTime() + sessionMinutes.longest * 60_000)
    return { grant, secret, expiresAt, signedInAs: person.name, signOut }
  }
}

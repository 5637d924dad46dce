import type { FastifyReply, FastifyRequest } from 'fastify'
import type { OperatorDependencies } from '../back-office/http/operator-route.ts'
import type { Frame } from '../pages/frame.ts'
import type { Page, SignedIn } from '../pages/page-set.ts'
import type { OperatorCaller } from '../partners/operators/operator-scopes.ts'
import type { PeopleDependencies } from '../people/manage-people.ts'
import type { OperatorIdentity } from '../people/operator-identity.ts'
import type { PersonScope } from '../people/roles.ts'
import type { PersonHere } from '../people/sessions.ts'
import type { RefineBody } from '../platform/http/route.ts'
import type { MailSender } from '../platform/mail/mail-sender.ts'
import type { CallCounters } from '../platform/rate-limits/call-counter.ts'

/** Where people sign in: the operator's at the desk, partners' at the workplace. */
export type Surface = 'desk' | 'workplace'

/** Somebody who has opened a page. */
export interface PersonVisit extends SignedIn, PersonHere {
  session: PersonHere['session'] & SignedIn['session']
  /** Reaches people of every partner: for the person's own sessions, and those whom they manage. */
  own: PeopleDependencies & Parameters<RefineBody>[2]
  /** The browser forgets the session, which the caller has ended. */
  forget(): void
}

/** One of the operator's people at the desk, whom operations of the operator API know as a caller. */
export interface DeskVisit extends PersonVisit {
  deps: OperatorDependencies
  caller: OperatorCaller
}

/** A page of signed-in people. */
export interface PersonPage<Visit extends PersonVisit = PersonVisit> extends Page<Visit> {
  /** The scope that a person needs for it. */
  may: PersonScope | 'anybody'
  /** Whether they must have signed in in the last 15 minutes: before money, erasure, credentials and people. */
  needsRecentSignIn?: boolean
  /** What the menu calls it; absent if other pages lead there. */
  menu?: string
}

export interface PeoplePagesOptions {
  publicUrl: string
  counters: CallCounters
  requestsPerSecond: number
  trustedProxies: readonly string[]
  /** Sends codes; undefined if this deployment sends no e-mails. */
  mailSender: MailSender | undefined
  /** Where the operator's people sign in; undefined if nothing is set. */
  identity: OperatorIdentity | undefined
}

/** What the routes of a surface have in common. */
export interface SurfaceHttp {
  surface: Surface
  root: string
  /** Throws `rate_limited`. */
  admit(request: FastifyRequest, reply: FastifyReply): Promise<void>
  frame: Frame
  /** Sets the cookie of a new session, and ends the browser's earlier one. */
  begin(request: FastifyRequest, reply: FastifyReply, secret: string): Promise<void>
}

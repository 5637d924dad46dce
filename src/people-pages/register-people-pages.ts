import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../app/http/route-dependencies.ts'
import { operatorFrame, operatorLook } from '../contracts/links/operator-frame.ts'
import { createCookie, formTokenOf } from '../pages/cookies.ts'
import { goOnAfterSignIn } from '../pages/form.ts'
import { sendPage } from '../pages/frame.ts'
import { html } from '../pages/html.ts'
import type { NoticeWords } from '../pages/notices.ts'
import type { PageAddress, PageSet } from '../pages/page-set.ts'
import { goTo, registerPages } from '../pages/register-pages.ts'
import { createRateLimit, limitByAddress } from '../partners/http/rate-limit.ts'
import { sessionMinutes } from '../people/begin-session.ts'
import { endSession, type PersonHere, whoIsHere } from '../people/sessions.ts'
import { hasDesk } from '../platform/config/desk.ts'
import type { Origin } from '../platform/db/access.ts'
import { accountPage } from './account.page.ts'
import { funnelPage } from './funnel.page.ts'
import { peopleNotices, peoplePages } from './people.page.ts'
import type { DeskVisit, PeoplePagesOptions, PersonPage, PersonVisit, Surface, SurfaceHttp } from './person-page.ts'
import { publishRateCardPage, rateCardsPage, withdrawRateCardPage } from './rate-cards.page.ts'
import { registerSignIn } from './register-sign-in.ts'
import { tasksPage } from './tasks.page.ts'

/**
 * The pages of each surface, which the test's table of roles walks.
 * @internal
 */
export const deskPages: readonly PersonPage<DeskVisit>[] = [
  accountPage,
  ...peoplePages('partners:read', 'partners:write'),
  tasksPage,
  funnelPage,
  rateCardsPage,
  publishRateCardPage,
  withdrawRateCardPage,
]
/**
 * The workplace's pages that are about its people.
 * @internal
 */
export const workplacePages: readonly PersonPage[] = [...peoplePages('people:manage', 'people:manage'), accountPage]

/** Completes a visit with what the pages of a surface work with; undefined if they are not open to the person. */
type Complete<Visit> = (visit: PersonVisit, request: FastifyRequest, reply: FastifyReply) => Promise<Visit | undefined>

/** What the workplace has besides its people: the pages come from another module. */
interface Workplace<Visit extends PersonVisit> {
  pages: readonly PersonPage<Visit>[]
  notices: NoticeWords
  complete: Complete<Visit>
}

/** Serves where the operator's people and partners' people sign in, and what they see then. */
export function registerPeoplePages<AtWorkplace extends PersonVisit>(
  app: FastifyInstance,
  deployment: DeploymentDependencies,
  options: PeoplePagesOptions,
  workplace: Workplace<AtWorkplace>,
): void {
  registerSurface('workplace', [...workplace.pages, ...workplacePages], workplace.complete)
  const { publicUrl, identity } = options
  if (hasDesk({ realm: deployment.realm, publicUrl, hasProvider: identity !== undefined }))
    registerSurface('desk', deskPages, asDeskVisit)
  else app.log.warn('there is no /desk: DESK_ISSUER names no identity provider for your people')

  function registerSurface<Visit extends PersonVisit>(
    surface: Surface,
    pages: readonly PersonPage<Visit>[],
    complete: Complete<Visit>,
  ): void {
    const { publicUrl, counters, requestsPerSecond } = options
    const root = `/${surface}`
    const cookie = createCookie(publicUrl, `housebill-${surface}`, { of: 'host' })
    const limit = createRateLimit({ name: surface, quota: requestsPerSecond, windowSeconds: 1 }, counters)
    const http: SurfaceHttp = {
      surface,
      root,
      admit: limitByAddress(limit, deployment.cipher),
      frame: { ...operatorFrame(deployment), scriptPath: operatorLook(deployment).script.path, footer: html`` },
      async begin(request, reply, secret) {
        const { here } = await personHere(request)
        if (here !== undefined) {
          const db = deployment.databases.forSystem(originOf(here, request, { name: 'sign-in' }))
          await endSession({ ...deployment, db }, here.person, here.session.sessionId)
        }
        cookie.set(reply, secret, { seconds: sessionMinutes.longest * 60 })
      },
    }
    registerSignIn(app, deployment, http, options)
    /** Where people come in: the first page of their menu. */
    const startPage: PersonPage<Visit> = {
      name: '',
      may: 'anybody',
      async show(visit) {
        const { path, name } = menuOf(visit)[0] ?? accountPage
        return { goTo: visit.path(path ?? name) }
      },
    }
    const set: PageSet<Visit, PersonPage<Visit>> = {
      root,
      pages: [startPage, ...pages],
      publicUrl,
      admit: http.admit,
      async visitOf(request, reply, at, page) {
        const { here, secret } = await personHere(request)
        if (here === undefined || (page.needsRecentSignIn && !here.isRecent)) return undefined
        return complete(personVisit(here, secret, { request, reply, at, page }), request, reply)
      },
      async maySendFiles(request, page) {
        const { here } = await personHere(request)
        return here !== undefined && isFor(page, here)
      },
      askToSignIn(request, reply, entered) {
        // Also for who is signed in, but not recently enough for the page.
        const signInPath = `${root}/sign-in?${new URLSearchParams({ next: request.url, again: '' }).toString()}`
        if (entered === undefined) return goTo(reply, signInPath)
        const title = 'Sign in again'
        const body = html`<h1>${title}</h1><p>What you entered is kept. Sign in in another tab, then go on here.</p>
${goOnAfterSignIn(entered, signInPath)}`
        return sendPage(reply.code(403), http.frame, { title, body })
      },
      insteadOf(page, visit) {
        if (isFor(page, visit)) return undefined
        const title = 'This page is not for your roles'
        return { title, body: html`<h1>${title}</h1><p>Ask an admin, if you need it.</p>`, isRefused: true }
      },
      frameOf(visit, shown) {
        if (visit === undefined || shown?.isOver) return http.frame
        const links = menuOf(visit).map(
          (page) => html`<li><a href="${visit.path(page.path ?? page.name)}">${page.menu}</a></li>`,
        )
        // What partner-pages serves, which comes after.
        if (surface === 'workplace' && visit.scopes.includes('webhooks:manage'))
          links.push(html`<li><a href="/workplace/developers/">Developers</a></li>`)
        return { ...http.frame, header: html`${http.frame.header}<nav aria-label="Pages"><ul>${links}</ul></nav>` }
      },
      // These pages show ids and nobody's data. Pages with a customer's say so here.
      recordRead: async () => undefined,
      notices: {
        session_ended: 'That session has ended.',
        ...peopleNotices,
        ...workplace.notices,
        card_published: 'The rate card is published.',
        card_withdrawn: 'The rate card is withdrawn.',
        card_stopped: 'The rate card is withdrawn. The quotes on it are priced anew within minutes.',
      },
      notNow: 'What you wanted to see is not there, or not now.',
    }
    registerPages(app, set)

    function menuOf(visit: Visit): PersonPage<Visit>[] {
      return pages.filter((page) => page.menu !== undefined && isFor(page, visit))
    }

    /** Whose session the cookie names. */
    async function personHere(request: FastifyRequest): Promise<{ here: PersonHere | undefined; secret: string }> {
      const secret = cookie.in(request) ?? ''
      const own = { ...deployment, db: deployment.databases.system }
      return { here: secret === '' ? undefined : await whoIsHere(own, secret, surface), secret }
    }

    function personVisit(
      here: PersonHere,
      secret: string,
      given: { request: FastifyRequest; reply: FastifyReply; at: PageAddress; page: PersonPage<Visit> },
    ): PersonVisit {
      const { request, reply, at, page } = given
      const db = deployment.databases.forSystem(originOf(here, request, page))
      return {
        ...here,
        ...at,
        session: { ...here.session, formToken: formTokenOf(secret) },
        own: { ...deployment, db },
        forget: () => cookie.clear(reply),
      }
    }

    function originOf({ credential }: PersonHere, request: FastifyRequest, { name }: { name: string }): Origin {
      const actor = surface === 'desk' ? 'operator' : 'client'
      return { actor, credential, requestId: request.id, operation: `${surface} ${name || 'account'}` }
    }
  }

  async function asDeskVisit(visit: PersonVisit, request: FastifyRequest): Promise<DeskVisit> {
    const { databases: _, ...common } = deployment
    const caller = { clientId: visit.person.personId, requestId: request.id, now: deployment.clock.now() }
    return { ...visit, deps: { ...common, db: visit.own.db }, caller }
  }
}

/** Whether somebody's scopes open a page. */
function isFor({ may }: Pick<PersonPage, 'may'>, { scopes }: Pick<PersonHere, 'scopes'>): boolean {
  return may === 'anybody' || scopes.includes(may)
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import { createCookie, isOwnOrigin } from '../../pages/cookies.ts'
import { Form, formIn, formOf } from '../../pages/form.ts'
import type { Frame } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { createLook, serveLook } from '../../pages/look.ts'
import { goTo, orErrorPage, registerPages, sendStale } from '../../pages/register-pages.ts'
import { createRateLimit, limitByAddress } from '../../partners/http/rate-limit.ts'
import type { CheckCredentials } from '../../partners/issue-token.route.ts'
import { createProgramSessions } from '../../partners/sessions/program-sessions.ts'
import type { CallCounters } from '../../platform/rate-limits/call-counter.ts'
import { type CallLimits, needsScope } from '../call-operation.ts'
import { credentialsPage } from './credentials.page.ts'
import { deleteWebhookPage } from './delete-webhook.page.ts'
import { deliveriesPage } from './deliveries.page.ts'
import { deliveryPage } from './delivery.page.ts'
import { createDeveloperVisits, type DeveloperPage, type DeveloperVisit, root, titled } from './developer-visit.ts'
import { editWebhookPage } from './edit-webhook.page.ts'
import { eventPage } from './event.page.ts'
import { eventsPage } from './events.page.ts'
import { registerWebhookPage } from './register-webhook.page.ts'
import { replayPage } from './replay.page.ts'
import { replayWebhookPage } from './replay-webhook.page.ts'
import { requestsPage } from './requests.page.ts'
import { rotateSecretPage } from './rotate-secret.page.ts'
import { createSignIn } from './sign-in.ts'
import { webhookPage } from './webhook.page.ts'
import { webhooksPage } from './webhooks.page.ts'

const homePage: DeveloperPage = {
  name: '',
  show: async ({ path, scopes }) => ({ goTo: path(scopes.includes('webhooks:manage') ? 'webhooks' : 'requests') }),
}

const signOutPage: DeveloperPage = {
  name: 'sign-out',
  show: async ({ path }) => ({ goTo: path('') }),
  async submit(visit) {
    await visit.signOut()
    const body = html`<h1>You are signed out</h1><p>The session has ended on the server too.</p><p><a href="${visit.path('')}">Sign in again</a></p>`
    return { title: 'You are signed out', body, isOver: true }
  },
}

/**
 * The pages for developers, which the test's table of roles walks.
 * @internal
 */
export const developerPages: readonly DeveloperPage[] = [
  webhooksPage,
  registerWebhookPage,
  webhookPage,
  editWebhookPage,
  rotateSecretPage,
  replayWebhookPage,
  deleteWebhookPage,
  deliveriesPage,
  deliveryPage,
  replayPage,
  eventsPage,
  eventPage,
  requestsPage,
  credentialsPage,
]

/** The sections in the header, by the name of their first page. */
const sections = [webhooksPage, eventsPage, requestsPage, credentialsPage].map((page) => ({
  page,
  label: `${page.name.charAt(0).toUpperCase()}${page.name.slice(1)}`,
}))

/** What pages tell has happened, and the errors that they can cause. */
const notices = {
  registered: 'The webhook is registered.',
  saved: 'Saved.',
  saved_and_challenged: 'Saved. A challenge is being sent to the new URL.',
  enabled: 'Enabled. New events are sent from now on.',
  disabled: 'The webhook is disabled.',
  deleted: 'The webhook is deleted.',
  challenge_sent: 'A new challenge is being sent.',
  test_sent: 'The test event is being sent.',
  redelivered: 'The message is being sent again, with the same webhook-id.',
  insufficient_scope: 'Your credentials may not do this, so nothing was changed.',
  webhook_disabled: 'The webhook is disabled, so nothing was sent. Enable it first.',
  too_many_webhooks: 'You have as many webhooks as you can have, or as many with this URL. Delete one first.',
  validation_failed: 'Something in what was sent, or in the address of the page, is not right. Nothing was changed.',
  idempotency_key_reused: 'This form was sent before with something else. Open the page again.',
  idempotency_in_flight: 'This form is being sent already. Wait a moment, and look at the list.',
}

interface DeveloperPagesOptions {
  publicUrl: string
  counters: CallCounters
  requestsPerSecond: number
  limits: CallLimits
  checkCredentials: CheckCredentials | undefined
}

/**
 * The pages for a partner's developers. The client id and secret of a program open exactly these, and so do people with
 * the role of a developer. Returns a function that finds the client id of whoever is signed in, for the documentation.
 */
export function registerDeveloperPages(
  app: FastifyInstance,
  deployment: DeploymentDependencies,
  { publicUrl, counters, requestsPerSecond, limits, checkCredentials }: DeveloperPagesOptions,
): ReturnType<typeof createDeveloperVisits>['clientIdOf'] {
  const { realm, cipher, tokenVerifier } = deployment
  const offered = developerPages.filter((page) => realm === 'sandbox' || page !== requestsPage)
  const look = createLook()
  const cookie = createCookie(publicUrl, 'housebill-developers', { of: 'host' })
  const personCookie = createCookie(publicUrl, 'housebill-workplace', { of: 'host' })
  const sessions = createProgramSessions({ ...deployment, db: deployment.databases.system })
  const { visitOf, clientIdOf } = createDeveloperVisits(deployment, { sessions, cookie, personCookie, limits })
  const byAddress = createRateLimit({ name: 'developer-pages', quota: requestsPerSecond, windowSeconds: 1 }, counters)
  const admit = limitByAddress(byAddress, cipher)
  const notNow = 'Go back and try again. If it does not help, tell the operator.'
  const signIn = createSignIn({
    frame: frameOf(),
    realm,
    checkCredentials,
    tokenVerifier,
    async start(request, reply, token) {
      const earlier = cookie.in(request)
      if (earlier !== undefined) await sessions.end(earlier)
      const { id, lifetimeSeconds } = await sessions.start(token)
      cookie.set(reply, id, { seconds: lifetimeSeconds })
    },
  })

  serveLook(app, look)
  registerPages<DeveloperVisit, DeveloperPage>(app, {
    root,
    pages: [homePage, ...offered.map(wide), signOutPage],
    publicUrl,
    admit,
    visitOf,
    askToSignIn: (request, reply, entered) => {
      const kept = entered && new URLSearchParams(entered.form.entered().map((each) => [...each])).toString()
      const form = new Form(new URLSearchParams({ next: request.url, ...(kept && { entered: kept }) }))
      const why =
        cookie.in(request) !== undefined
          ? 'Your session has ended. Sign in again to go on where you were.'
          : personCookie.in(request) !== undefined
            ? 'Your session has ended, or this page needs you to have signed in within the last 15 minutes.'
            : undefined
      const shown = kept ? `${why ?? ''} What you entered is still here.`.trimStart() : why
      return signIn.show(reply.code(403), form, shown)
    },
    insteadOf(page, visit) {
      const refused = (title: string, text: string) => ({
        ...titled(title, html`<h1>${title}</h1><p>${text}</p>`),
        isRefused: true,
      })
      if (visit.isSuspended && page !== homePage && page !== signOutPage)
        return refused('Your access is suspended', 'The operator has suspended it. Ask the operator to resume it.')
      if (page.may !== undefined && !isFor(page, visit)) return refused('This is not open to you', needsScope(page.may))
      return undefined
    },
    frameOf,
    // Webhooks, events and requests have no personal data.
    recordRead: async () => undefined,
    notices,
    notNow,
  })
  const withErrorPages = (request: FastifyRequest, reply: FastifyReply, run: () => Promise<FastifyReply>) =>
    orErrorPage(request, reply, { frame: frameOf(), notNow }, async () => {
      await admit(request, reply)
      return run()
    })
  app.get(`${root}/sign-in`, (request, reply) =>
    withErrorPages(request, reply, async () => {
      const isSignedIn = (await sessions.find(cookie.in(request) ?? '')) !== undefined
      return isSignedIn ? goTo(reply, `${root}/`) : signIn.show(reply, new Form(new URLSearchParams()))
    }),
  )
  app.post(`${root}/sign-in`, (request, reply) =>
    withErrorPages(request, reply, async () =>
      isOwnOrigin(request, publicUrl)
        ? signIn.submit(request, reply, formIn(request))
        : sendStale(reply, frameOf(), `${root}/`),
    ),
  )
  app.get('/console', (_request, reply) => reply.redirect(`${root}/`, 301))
  app.get('/console/*', (request, reply) => reply.redirect(`${root}${request.url.slice('/console'.length)}`, 301))
  return clientIdOf

  function frameOf(visit?: DeveloperVisit, { isOver = false } = {}): Frame {
    const isSignedIn = visit !== undefined && !isOver
    const here = isSignedIn ? sections.filter(({ page }) => offered.includes(page) && isFor(page, visit)) : []
    const links = [
      ...here.map(({ page, label }) => [`${root}/${page.name}`, label] as const),
      ['/docs/reference', 'API reference'] as const,
    ]
    return {
      siteName: `Housebill ${realm}`,
      cssPath: look.css.path,
      scriptPath: look.script.path,
      errorDocs: '/docs/errors',
      strip:
        realm === 'sandbox'
          ? { label: 'Sandbox', text: 'Sandbox: all data here is test data.' }
          : { label: 'Live', text: 'Live: this is the data of real households.' },
      header: html`<p class="name">Housebill for developers</p><nav aria-label="Developers"><ul>${links.map(
        ([href, label]) => html`<li><a href="${href}">${label}</a></li>`,
      )}</ul></nav>`,
      ...(isSignedIn && {
        footer: html`<p>Signed in as ${visit.signedInAs}</p>
${formOf(visit.session.formToken, html``, 'Sign out', { action: visit.path('sign-out'), look: 'plain' })}`,
      }),
    }
  }
}

/** Whether somebody's scopes open a page. */
function isFor({ may }: DeveloperPage, { scopes }: DeveloperVisit): boolean {
  return may === undefined || scopes.includes(may)
}

/** A page as wide as its tables need. */
function wide(page: DeveloperPage): DeveloperPage {
  return { ...page, show: async (visit, form) => ({ isWide: true, ...(await page.show(visit, form)) }) }
}

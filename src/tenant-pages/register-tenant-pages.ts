import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../app/http/route-dependencies.ts'
import { refuseMails } from '../contracts/mails/refuse-mails.ts'
import { getCustomer } from '../onboarding/get-customer.ts'
import { createRateLimit, type RateLimit } from '../partners/http/rate-limit.ts'
import type { SetupIntent } from '../payments/payment-processor.ts'
import { withoutEffect } from '../platform/db/database.ts'
import { clientAddressOf } from '../platform/http/client-address.ts'
import { errorResponses } from '../platform/http/errors/error-responses.ts'
import { type Html, html } from '../platform/http/pages/html.ts'
import { rawBody } from '../platform/http/plugins/body.ts'
import { asDomainError } from '../platform/http/plugins/error-handler.ts'
import { networkOf } from '../platform/http/plugins/network-of.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import { type Id, isId } from '../platform/kernel/ids.ts'
import type { CallCounters } from '../platform/rate-limits/call-counter.ts'
import { findPartnerOfCustomer, type LinkOwner } from '../quoting/tenants/customers.store.ts'
import { findPsrGivenAt } from '../quoting/tenants/psr.store.ts'
import { cancelPage } from './after-signing/cancel.page.ts'
import { complaintsPage } from './after-signing/complaints.page.ts'
import { handOverPage } from './after-signing/hand-over.page.ts'
import { homePage } from './after-signing/home.page.ts'
import { leavePage } from './after-signing/leave.page.ts'
import { meterReadingsPage } from './after-signing/meter-readings.page.ts'
import { agreePage } from './before-signing/agree.page.ts'
import { cardPage } from './before-signing/card.page.ts'
import { cardEntryPage, cardScript } from './before-signing/card-entry.page.ts'
import { detailsPage } from './before-signing/details.page.ts'
import { contractPages, donePage, scheduleOf } from './before-signing/done.page.ts'
import { earlySupplyPage } from './before-signing/early-supply.page.ts'
import { extraHelpPage } from './before-signing/extra-help.page.ts'
import { householdPage } from './before-signing/household.page.ts'
import { draftPages, paymentsPage } from './before-signing/payments.page.ts'
import { hasSigned, pathToGoOn } from './before-signing/steps.ts'
import { welcomePage } from './before-signing/welcome.page.ts'
import { calendarOf } from './calendar.ts'
import { sendFirstLink, sendFreshLinks } from './fresh-links.ts'
import { textField } from './layout/fields.ts'
import { Form, FormRejected, type Problem } from './layout/form.ts'
import { createLook } from './layout/look.ts'
import { type Frame, type PageContent, sendPage } from './layout/page.ts'
import { codePage } from './session/code.page.ts'
import {
  beginSession,
  deviceMark,
  endSession,
  findTenantSession,
  type SessionOwner,
  sessionHours,
} from './session/tenant-sessions.ts'
import { type GoTo, originOf, type PageDependencies, type Shown, type TenantPage, type Visit } from './visit.ts'
import { noticeOf, words } from './words.ts'

const root = '/my-bills'

/** Every page of a tenant. The one without a name sends them to where they left off. */
const tenantPages: readonly TenantPage[] = [
  {
    name: '',
    needs: 'link',
    when: 'always',
    show: async (visit) => ({ goTo: pathToGoOn(visit) }),
  },
  codePage,
  welcomePage,
  detailsPage,
  extraHelpPage,
  earlySupplyPage,
  paymentsPage,
  ...draftPages,
  householdPage,
  cardPage,
  cardEntryPage,
  agreePage,
  donePage,
  ...contractPages,
  homePage,
  cancelPage,
  leavePage,
  handOverPage,
  meterReadingsPage,
  complaintsPage,
]

interface TenantPagesOptions {
  publicUrl: string
  counters: CallCounters
  requestsPerSecond: number
}

type PageRequest = FastifyRequest<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>

/** The limits on what sends e-mails: codes of one tenant, and links that one network asks for. */
const codesPerHour = 5
const linksPerHour = 20

/** How long a browser that was confirmed needs no other code. */
const deviceDays = 365

/**
 * The tenants' pages, at /my-bills. A link opens a page with a button, which begins a session: mail scanners open links
 * too, and the link's secret leaves the address bar. Everything else takes the session's cookie, and every form the
 * session's token.
 */
export function registerTenantPages(
  app: FastifyInstance,
  deployment: DeploymentDependencies,
  { publicUrl, counters, requestsPerSecond }: TenantPagesOptions,
): void {
  const { databases, clock, onboardingLinks, operator, cipher, realm } = deployment
  const look = createLook(operator)
  const frame: Frame = { look, operator, isSandbox: realm === 'sandbox' }
  const isSecure = publicUrl.startsWith('https://')
  const prefix = isSecure ? '__Secure-' : ''
  const cookies = { session: `${prefix}housebill-session`, device: `${prefix}housebill-device` }
  const policies = {
    address: { name: 'tenant-pages', quota: requestsPerSecond, windowSeconds: 1 },
    codes: { name: 'tenant-codes', quota: requestsPerSecond === 0 ? 0 : codesPerHour, windowSeconds: 3_600 },
    links: { name: 'tenant-links', quota: requestsPerSecond === 0 ? 0 : linksPerHour, windowSeconds: 3_600 },
  }
  const byAddress = createRateLimit(policies.address, counters)
  const codes = counters.open(policies.codes)
  const freshLinks = createRateLimit(policies.links, counters)

  for (const asset of [
    cardScript,
    { path: look.cssPath, type: 'text/css; charset=utf-8', body: Buffer.from(look.css) },
    ...(look.logo === undefined ? [] : [{ path: look.logo.path, type: look.logo.type, body: look.logo.bytes }]),
  ])
    app.get(asset.path, (_request, reply) =>
      reply
        .header('Content-Type', asset.type)
        .header('Cache-Control', 'public, max-age=31536000, immutable')
        .send(asset.body),
    )

  /** Where the card is entered: the simulator's page, or ours with the processor's field. */
  const simulatorPage = ({ setupIntentId, clientSecret }: SetupIntent, path: Visit['path']) => {
    const given = new URLSearchParams({ client_secret: clientSecret, return_url: `${publicUrl}${path('card')}` })
    return `${publicUrl}/sandbox/card-setup/${setupIntentId}#${given.toString()}`
  }
  const ownPage = (_: SetupIntent, path: Visit['path']) => path(cardEntryPage.name)
  const cardEntry =
    deployment.sandboxProcessor !== undefined
      ? simulatorPage
      : deployment.publishableKey === undefined
        ? undefined
        : ownPage

  registerFreshLinks()
  registerLink()
  registerRefusal()
  for (const page of tenantPages) registerPage(page)
  registerCalendar()
  registerSignOut()

  /** The permanent address: it has no secret, and answers the same for every e-mail address. */
  function registerFreshLinks(): void {
    const show = (reply: FastifyReply, form: Form, notice?: string) => {
      const text = words.newLink
      const field = textField(form, {
        name: 'email',
        label: text.email,
        type: 'email',
        autocomplete: 'email',
        maxLength: 254,
      })
      const body = html`<h1>${text.title}</h1>${noticeBox(notice)}<p>${text.intro}</p>
<form method="post" novalidate>${field}<button type="submit">${text.button}</button></form><p class="hint">${text.without}</p>`
      return sendPage(reply, frame, { title: text.title, body, problems: form.problems })
    }
    app.get(root, (request: PageRequest, reply) =>
      limited(request, reply, byAddress, async () => show(reply, new Form(new URLSearchParams()), noticeIn(request))),
    )
    app.post(root, (request: PageRequest, reply) =>
      limited(request, reply, freshLinks, async () => {
        if (!isOwnOrigin(request)) return sendStale(reply, root)
        const form = formIn(request)
        const email = form.text('email')
        if (!/^[^\s@]+@[^\s@]+$/.test(email))
          return show(reply.code(422), form.with([{ field: 'email', text: words.newLink.emailProblem }]))
        // After the response, so that the time it takes does not tell whether the address is known.
        reply.raw.once('finish', () => void sendLinks(request, email))
        const { sentTitle, sent } = words.newLink
        return sendPage(reply, frame, { title: sentTitle, body: html`<h1>${sentTitle}</h1><p>${sent}</p>` })
      }),
    )
  }

  async function sendLinks(request: FastifyRequest, email: string): Promise<void> {
    try {
      const partnerIds = await sendFreshLinks(
        { ...deployment, contractUrlPolicy: deployment.contractUrlPolicy },
        email,
        request.id,
      )
      for (const partnerId of partnerIds) await deployment.sendTenantMails(partnerId)
    } catch (error) {
      request.log.error({ err: error }, 'fresh links could not be sent')
    }
  }

  /** What a link opens: a page with a button. Opening it changes nothing. */
  function registerLink(): void {
    const path = `${root}/:customerId/links/:token`
    const text = words.link
    type LinkRequest = FastifyRequest<{
      Params: { customerId: string; token: string }
      Querystring: Record<string, unknown>
    }>
    const open = async (request: LinkRequest) => {
      const { customerId, token } = request.params
      const owner = await ownerOf(customerId)
      if (owner === undefined) return undefined
      const at = sessionOwner(request, owner, 'openLink')
      const current = { customerId: at.customerId, revision: owner.onboardingRevision, now: at.now }
      const revision = await onboardingLinks.opens(token, current)
      return revision === undefined ? undefined : { ...at, revision }
    }
    app.get(path, (request: LinkRequest, reply) =>
      limited(request, reply, byAddress, async () => {
        if ((await open(request)) === undefined) return sendEnded(reply)
        const body = html`<h1>${text.title}</h1><p>${text.intro(operator.trader.name)}</p>
<form method="post"><button type="submit">${text.button}</button></form><p class="hint">${text.private}</p>`
        return sendPage(reply, frame, { title: text.title, body })
      }),
    )
    app.post(path, (request: LinkRequest, reply) =>
      limited(request, reply, byAddress, async () => {
        const link = isOwnOrigin(request) ? await open(request) : undefined
        if (link === undefined) return sendEnded(reply)
        const { revision, ...at } = link
        const device = cookieIn(request, cookies.device)
        const secret = await beginSession(at, cipher, { revision, device })
        if (secret === undefined) return sendEnded(reply)
        setCookie(reply, at.customerId, cookies.session, secret, sessionHours * 3_600)
        return goTo(reply, `${root}/${at.customerId}/`)
      }),
    )
  }

  /** Where the reader of an e-mail says that they are not who was meant. Opening the link changes nothing. */
  function registerRefusal(): void {
    type RefusalRequest = FastifyRequest<{ Params: { customerId: string; token: string } }>
    const text = words.notMe
    const send = async (request: RefusalRequest, reply: FastifyReply, change: 'read' | 'refuse' | 'allow') => {
      const { customerId, token } = request.params
      const found = await refuseMails(deployment, { customerId, token, requestId: request.id }, change)
      if (found === undefined) return sendEnded(reply)
      const { partnerName, isRefused } = found
      const title = isRefused ? text.refusedTitle : text.title
      const sentence = isRefused ? text.refused(partnerName) : text.intro(partnerName)
      const body = html`<h1>${title}</h1><p>${sentence}</p>
<form method="post"><input type="hidden" name="do" value="${isRefused ? 'allow' : 'refuse'}"><button type="submit"${isRefused ? html` class="second"` : null}>${isRefused ? text.allow : text.refuse}</button></form>`
      return sendPage(reply, frame, { title, body })
    }
    const path = `${root}/:customerId/not-me/:token`
    app.get(path, (request: RefusalRequest, reply) =>
      limited(request, reply, byAddress, () => send(request, reply, 'read')),
    )
    app.post(path, (request: RefusalRequest, reply) =>
      limited(request, reply, byAddress, async () => {
        if (!isOwnOrigin(request)) return sendStale(reply, request.url)
        return send(request, reply, formIn(request).text('do') === 'allow' ? 'allow' : 'refuse')
      }),
    )
  }

  function registerPage(page: TenantPage): void {
    const path = `${root}/:customerId/${page.name}`
    app.get(path, (request: PageRequest, reply) =>
      limited(request, reply, byAddress, () =>
        inSession(request, reply, page, (visit) =>
          showPage(request, reply, page, visit, new Form(new URLSearchParams())),
        ),
      ),
    )
    const { submit } = page
    if (submit === undefined) return
    app.post(path, (request: PageRequest, reply) =>
      limited(request, reply, byAddress, () =>
        inSession(request, reply, page, async (visit) => {
          const form = formIn(request)
          if (!isOwnOrigin(request) || form.text('formToken') !== visit.session.formToken)
            return sendStale(reply, visit.path(page.name))
          try {
            const next = await submit(visit, form)
            if (page === codePage && form.text('do') === 'enter') markDevice(reply, visit)
            return typeof next === 'string' ? goTo(reply, next) : await sendShown(request, reply, visit, form, next)
          } catch (error) {
            return sendProblem(request, reply, page, visit, form, error)
          }
        }),
      ),
    )
  }

  /** What went wrong with a form: its fields, or what happened meanwhile. Nothing that was entered is lost. */
  async function sendProblem(
    request: PageRequest,
    reply: FastifyReply,
    page: TenantPage,
    visit: Visit,
    form: Form,
    error: unknown,
  ): Promise<FastifyReply> {
    const problems = problemsOf(page, error)
    if (problems !== undefined) return showPage(request, reply.code(422), page, visit, form.with(problems))
    if (!(error instanceof DomainError) || noticeOf(error.code) === undefined) throw error
    if (error.code === 'service_unavailable') request.log.warn({ err: error.cause ?? error }, 'dependency unavailable')
    return goTo(reply, `${visit.path(page.name === 'agree' ? 'agree' : '')}?notice=${error.code}`)
  }

  /** Calls `run` if the cookie names a session of this customer and the page is for them now. */
  async function inSession(
    request: PageRequest,
    reply: FastifyReply,
    page: Pick<TenantPage, 'name' | 'needs' | 'when'>,
    run: (visit: Visit) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const visit = await visitOf(request, page.name)
    if (visit === undefined) return sendEnded(reply)
    const { quote, path } = visit
    if (visit.isPartnerStopped && !hasSigned(visit)) {
      const { title, text } = words.stopped
      return sendPage(reply, frame, { title, body: html`<h1>${title}</h1><p>${text(operator.trader.name)}</p>` })
    }
    if (quote.stage === 'cancelled') {
      const { title, text } = words.cancelled
      return sendPage(reply, frame, { title, body: html`<h1>${title}</h1><p>${text}</p>` })
    }
    if (page.when !== 'always' && (page.when === 'after signing') !== hasSigned(visit)) return goTo(reply, path(''))
    if (page.needs === 'code' && !visit.session.isConfirmed)
      return goTo(reply, `${path('code')}?next=${encodeURIComponent(page.name)}`)
    return run(visit)
  }

  async function visitOf(
    request: PageRequest,
    pageName: string,
  ): Promise<(Visit & { isPartnerStopped: boolean }) | undefined> {
    const owner = await ownerOf(request.params.customerId)
    const secret = cookieIn(request, cookies.session)
    if (owner === undefined || secret === undefined) return undefined
    const at = sessionOwner(request, owner, `tenantPage ${pageName || 'start'}`)
    const session = await findTenantSession(at, { secret, revision: owner.onboardingRevision })
    if (session === undefined) return undefined
    const { db, partnerId, customerId, now } = at
    const caller = { partnerId, clientId: 'tenant', requestId: request.id, now }
    const deps = pageDependencies(db)
    const [view, psrGivenAt] = await Promise.all([
      getCustomer(deps, caller, customerId),
      findPsrGivenAt(db, partnerId, customerId),
    ])
    return {
      ...view,
      ...{ deps, caller, customerId, session, psrGivenAt },
      partnerName: owner.partnerName,
      isPartnerStopped: owner.isPartnerStopped,
      path: (page) => `${root}/${customerId}/${page}`,
      query: new URLSearchParams(request.query as Record<string, string>),
      from: originOf(request, clientAddressOf(request)),
    }
  }

  function pageDependencies(db: PageDependencies['db']): PageDependencies {
    return {
      ...deployment,
      db,
      cardEntry,
      sendLink: async (caller, customerId) => {
        const isSent = await sendFirstLink({ ...deployment, db }, caller, customerId)
        await deployment.sendTenantMails(caller.partnerId)
        return isSent
      },
      mayCode: async (customerId) =>
        policies.codes.quota === 0 || (await codes.add(customerId, 1)).total <= policies.codes.quota,
    }
  }

  async function ownerOf(customerId: string): Promise<(LinkOwner & { customerId: Id<'tenant'> }) | undefined> {
    if (!isId('tenant', customerId)) return undefined
    const owner = await findPartnerOfCustomer(databases.system, customerId)
    return owner === undefined ? undefined : { ...owner, customerId }
  }

  function sessionOwner(
    request: FastifyRequest,
    { partnerId, customerId, clockOffsetSeconds }: LinkOwner & { customerId: Id<'tenant'> },
    operation: string,
  ): SessionOwner {
    const origin = { actor: 'tenant', requestId: request.id, operation } as const
    const partnerDatabase = databases.forPartner(partnerId, origin)
    const db = request.method === 'HEAD' ? withoutEffect(partnerDatabase) : partnerDatabase
    return { db, partnerId, customerId, now: new Date(clock.now().getTime() + clockOffsetSeconds * 1000) }
  }

  async function showPage(
    request: PageRequest,
    reply: FastifyReply,
    page: TenantPage,
    visit: Visit,
    form: Form,
  ): Promise<FastifyReply> {
    let shown: Shown | GoTo
    try {
      shown = await page.show(visit, form)
    } catch (error) {
      // What the page shows is not available at present, for example because the prices have run out.
      const isLasting = error instanceof DomainError && error.retryAfterSeconds === undefined
      if (!isLasting || noticeOf(error.code) === undefined) throw error
      return sendNotNow(reply, visit, error.code)
    }
    return sendShown(request, reply, visit, form, shown)
  }

  /** Sends what a page shows. That a tenant's data was shown is in the audit log before. */
  async function sendShown(
    request: PageRequest,
    reply: FastifyReply,
    visit: Visit,
    form: Form,
    shown: Shown | GoTo,
  ): Promise<FastifyReply> {
    await deployment.readLog.record(visit.deps.db, { subjectType: 'customer', customerId: visit.customerId })
    if ('goTo' in shown) return goTo(reply, withNotice(shown.goTo, request))
    const { allowed, body, ...content } = shown
    const notice = form.problems.length > 0 ? undefined : noticeIn(request)
    return sendPage(
      reply,
      frame,
      {
        ...content,
        body: html`${noticeBox(notice)}${body}`,
        problems: form.problems,
        via: { name: visit.partnerName, returnUrl: visit.quote.returnUrl },
        signOut: signOutForm(visit),
      },
      allowed,
    )
  }

  /** Keeps what happened for the page that the tenant is sent to. */
  function withNotice(path: string, request: PageRequest): string {
    const { notice } = request.query
    if (typeof notice !== 'string' || noticeOf(notice) === undefined || !path.startsWith(root)) return path
    return `${path}${path.includes('?') ? '&' : '?'}notice=${notice}`
  }

  /** A browser in which a code was right keeps a mark that saves the tenant the next one. */
  function markDevice(reply: FastifyReply, { customerId, customer: { personal } }: Visit): void {
    const mark = deviceMark(cipher, customerId, personal.email)
    setCookie(reply, customerId, cookies.device, mark, deviceDays * 86_400)
  }

  function registerCalendar(): void {
    const page = { name: 'calendar.ics', needs: 'code', when: 'after signing' } as const
    app.get(`${root}/:customerId/calendar.ics`, (request: PageRequest, reply) =>
      limited(request, reply, byAddress, () =>
        inSession(request, reply, page, async (visit) => {
          const { contract, caller } = visit
          if (contract === null) return goTo(reply, visit.path(''))
          const { payments } = await scheduleOf(visit)
          await deployment.readLog.record(visit.deps.db, { subjectType: 'customer', customerId: visit.customerId })
          return reply
            .header('Content-Type', 'text/calendar; charset=utf-8')
            .header('Content-Disposition', 'attachment; filename="household-bills.ics"')
            .header('Cache-Control', 'private, no-store')
            .send(
              calendarOf({
                contractNumber: contract.contractNumber,
                operatorName: operator.trader.name,
                startsOn: contract.startsOn,
                lastDay: contract.endedOn ?? contract.endsOn,
                payments,
                now: caller.now,
              }),
            )
        }),
      ),
    )
  }

  function registerSignOut(): void {
    app.post(`${root}/:customerId/sign-out`, (request: PageRequest, reply) =>
      limited(request, reply, byAddress, async () => {
        const visit = await visitOf(request, 'sign-out')
        if (visit !== undefined && formIn(request).text('formToken') === visit.session.formToken) {
          await endSession({ db: visit.deps.db, partnerId: visit.caller.partnerId }, visit.session)
          setCookie(reply, visit.customerId, cookies.session, '', 0)
        }
        return sendEnded(reply)
      }),
    )
  }

  function signOutForm({ session, path }: Visit): Html {
    return html`<form method="post" action="${path('sign-out')}"><input type="hidden" name="formToken" value="${session.formToken}"><button class="plain" type="submit">${words.signOut}</button></form>`
  }

  async function limited(
    request: FastifyRequest,
    reply: FastifyReply,
    limit: RateLimit,
    run: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      await limit.consume(cipher.hash(networkOf(clientAddressOf(request))), reply)
      await deployment.refreshHashKeys()
      return await run()
    } catch (error) {
      return sendFailure(request, reply, error)
    }
  }

  /** A page for an error that no page can explain. Only unexpected ones are logged as such. */
  function sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const { code, cause, retryAfterSeconds } = asDomainError(error, request)
    if (code === 'internal_error') request.log.error({ err: error }, 'a page for tenants failed unexpectedly')
    if (code === 'service_unavailable') request.log.warn({ err: cause ?? error }, 'dependency unavailable')
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))))
    const isBusy = retryAfterSeconds !== undefined || code === 'internal_error'
    const { title, text } = isBusy ? words.busy : words.notNow
    return sendSimple(reply.code(errorResponses[code].status), title, html`<p>${text}</p>`)
  }

  function sendSimple(reply: FastifyReply, title: string, text: Html): FastifyReply {
    return sendPage(reply, frame, { title, body: html`<h1>${title}</h1>${text}` } satisfies PageContent)
  }

  /** Why a page cannot be shown at present, and the way on. */
  function sendNotNow(reply: FastifyReply, visit: Visit, code: string): FastifyReply {
    const next = html`<p><a class="button" href="${visit.path('welcome')}">${words.stale.again}</a></p>`
    return sendSimple(reply, words.notNow.title, html`<p>${noticeOf(code) ?? ''}</p>${next}`)
  }

  function sendEnded(reply: FastifyReply): FastifyReply {
    const { title, text, again, newLink } = words.ended
    return sendSimple(
      reply.code(403),
      title,
      html`<p>${text}</p><p>${again}</p><p><a class="button" href="${root}">${newLink}</a></p>`,
    )
  }

  function sendStale(reply: FastifyReply, path: string): FastifyReply {
    const { title, text, again } = words.stale
    return sendSimple(reply.code(403), title, html`<p>${text}</p><p><a class="button" href="${path}">${again}</a></p>`)
  }

  function noticeIn({ query: { notice } }: PageRequest): string | undefined {
    return typeof notice === 'string' ? noticeOf(notice) : undefined
  }

  function setCookie(reply: FastifyReply, customerId: string, name: string, value: string, seconds: number): void {
    const attributes = `Path=${root}/${customerId}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`
    reply.header('Set-Cookie', `${name}=${value}; ${attributes}`)
  }

  /** Browsers say where a form comes from. Older ones send only the origin. */
  function isOwnOrigin({ headers }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site']
    if (site !== undefined) return site === 'same-origin'
    const { origin } = headers
    return origin === undefined || origin === new URL(publicUrl).origin || URL.parse(origin)?.host === headers.host
  }
}

function noticeBox(notice: string | undefined): Html | null {
  return notice === undefined ? null : html`<div class="notice" role="status"><p>${notice}</p></div>`
}

function goTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('Cache-Control', 'private, no-store').redirect(path, 303)
}

function formIn(request: FastifyRequest): Form {
  return new Form(new URLSearchParams(rawBody(request).toString('utf8')))
}

function cookieIn({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

/** What is wrong with the fields of a form; undefined for an error that is about something else. */
function problemsOf({ problems = {} }: TenantPage, error: unknown): readonly Problem[] | undefined {
  if (error instanceof FormRejected) return error.problems
  if (!(error instanceof DomainError) || error.fields.length === 0) return undefined
  const found = error.fields.flatMap(({ pointer }) => problems[pointer] ?? nearest(problems, pointer) ?? [])
  return found.length === 0
    ? undefined
    : found.filter((each, index) => found.findIndex(({ field }) => field === each.field) === index)
}

/** An error about a part of what a field holds, such as one of several needs, is the field's. */
function nearest(problems: NonNullable<TenantPage['problems']>, pointer: string): Problem | undefined {
  const parent = pointer.slice(0, pointer.lastIndexOf('/'))
  return parent === '' ? undefined : (problems[parent] ?? nearest(problems, parent))
}

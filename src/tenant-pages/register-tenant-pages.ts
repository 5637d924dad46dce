import type { FastifyInstance, FastifyReply } from 'fastify'
import type { DeploymentDependencies } from '../app/http/route-dependencies.ts'
import { privacyPath } from '../contracts/privacy-address.ts'
import { errorResponses } from '../platform/http/errors/error-responses.ts'
import { type Html, html } from '../platform/http/pages/html.ts'
import { DomainError } from '../platform/kernel/errors.ts'
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
import { Form, FormRejected, type Problem } from './layout/form.ts'
import { sendPage } from './layout/page.ts'
import {
  cookieIn,
  createTenantHttp,
  formIn,
  goTo,
  noticeBox,
  type PageRequest,
  root,
  type TenantPagesOptions,
} from './layout/tenant-http.ts'
import { privacyPage, publicPrivacyPage } from './privacy.page.ts'
import { codePage } from './session/code.page.ts'
import { registerLinks } from './session/register-links.ts'
import { deviceMark, endSession } from './session/tenant-sessions.ts'
import { createVisits } from './session/visits.ts'
import type { GoTo, Shown, TenantPage, Visit } from './visit.ts'
import { noticeOf, words, writtenNotice } from './words.ts'

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
  privacyPage,
]

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
  options: TenantPagesOptions,
): void {
  const { operator, cipher } = deployment
  const http = createTenantHttp(deployment, options)
  const { frame, byAddress, cookies, limited, sendSimple, sendEnded, sendStale, setCookie, isOwnOrigin } = http
  const { look } = frame
  const visits = createVisits(deployment, http, options)
  const { visitOf } = visits
  registerLinks(app, deployment, { http, visits, options })

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

  for (const page of tenantPages) registerPage(page)
  registerCalendar()
  registerSignOut()
  app.get(privacyPath, (request, reply) =>
    limited(request, reply, byAddress, async () => sendPage(reply, frame, publicPrivacyPage(deployment))),
  )

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
          if (!isOwnOrigin(request)) return sendStale(reply, visit.path(page.name))
          // A form of an earlier session. The page has the new token, and nothing is done before the tenant sends it.
          if (form.text('formToken') !== visit.session.formToken)
            return showPage(request, reply.code(403), page, visit, form, 'form_from_before')
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
    if (problems !== undefined) {
      const wait = error instanceof FormRejected ? error.retryAfterSeconds : undefined
      if (wait !== undefined) reply.header('Retry-After', String(wait))
      return showPage(request, reply.code(wait === undefined ? 422 : 429), page, visit, form.with(problems))
    }
    const happened = noticeOfError(error)
    if (!(error instanceof DomainError) || happened === undefined) throw error
    if (error.code === 'service_unavailable') request.log.warn({ err: error.cause ?? error }, 'dependency unavailable')
    if (error.retryAfterSeconds !== undefined) reply.header('Retry-After', String(Math.ceil(error.retryAfterSeconds)))
    const shown = await page.show(visit, form).catch(() => ({ goTo: visit.path('') }))
    if ('goTo' in shown) {
      keepNotice(reply, visit, happened)
      return goTo(reply, shown.goTo)
    }
    return sendShown(request, reply.code(errorResponses[error.code].status), visit, form, shown, happened)
  }

  /** Calls `run` if the cookie names a session of this customer and the page is for them now. */
  async function inSession(
    request: PageRequest,
    reply: FastifyReply,
    page: Pick<TenantPage, 'name' | 'needs' | 'when'>,
    run: (visit: Visit) => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    const visit = await visitOf(request, page.name)
    if (visit === undefined) {
      const isForm = request.method === 'POST' && isOwnOrigin(request)
      const path = `${root}/${encodeURIComponent(request.params.customerId)}/${page.name}`
      return sendEnded(reply, isForm ? { form: formIn(request), path } : undefined)
    }
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

  async function showPage(
    request: PageRequest,
    reply: FastifyReply,
    page: TenantPage,
    visit: Visit,
    form: Form,
    happened?: string,
  ): Promise<FastifyReply> {
    let shown: Shown | GoTo
    try {
      shown = await page.show(visit, form)
    } catch (error) {
      // What the page shows is not available at present, for example because the prices have run out.
      const isLasting = error instanceof DomainError && error.retryAfterSeconds === undefined
      const happenedNow = noticeOfError(error)
      if (!isLasting || happenedNow === undefined) throw error
      return sendNotNow(reply, visit, happenedNow)
    }
    return sendShown(request, reply, visit, form, shown, happened)
  }

  /** Sends what a page shows. That a tenant's data was shown is in the audit log before. */
  async function sendShown(
    request: PageRequest,
    reply: FastifyReply,
    visit: Visit,
    form: Form,
    shown: Shown | GoTo,
    happened?: string,
  ): Promise<FastifyReply> {
    await deployment.readLog.record(visit.deps.db, { subjectType: 'customer', customerId: visit.customerId })
    if ('goTo' in shown) {
      if (shown.notice !== undefined) keepNotice(reply, visit, writtenNotice(shown.notice))
      return goTo(reply, shown.goTo)
    }
    const { allowed, body, isOver = false, ...content } = shown
    const placeOf = ({ field }: Problem) => body.markup.indexOf(` id="${field}"`)
    const kept = cookieIn(request, cookies.notice)
    if (kept !== undefined) setCookie(reply, visit.customerId, cookies.notice, '', 0)
    const told = noticeOf(happened ?? kept ?? '')
    const notice = form.problems.length > 0 ? undefined : told
    return sendPage(
      reply,
      frame,
      {
        ...content,
        body: html`${noticeBox(notice)}${body}`,
        // The first field that has one comes first, as on the page.
        problems: form.problems.toSorted((a, b) => placeOf(a) - placeOf(b)),
        via: { name: visit.partnerName, returnUrl: visit.quote.returnUrl },
        privacy: visit.path('privacy'),
        signOut: isOver ? undefined : signOutForm(visit),
      },
      allowed,
    )
  }

  /**
   * Keeps what happened for the page that the tenant is shown next: never in its address, which others can be given.
   */
  function keepNotice(reply: FastifyReply, { customerId }: Visit, notice: string): void {
    setCookie(reply, customerId, cookies.notice, notice, 60)
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
          for (const name of [cookies.session, cookies.device]) setCookie(reply, visit.customerId, name, '', 0)
          const { title, text } = words.closed
          return sendSimple(reply, title, html`<p>${text}</p>`)
        }
        return sendEnded(reply)
      }),
    )
  }

  function signOutForm({ session, path }: Visit): Html {
    return html`<form method="post" action="${path('sign-out')}"><input type="hidden" name="formToken" value="${session.formToken}"><button class="plain" type="submit">${words.signOut}</button></form>`
  }

  /** Why a page cannot be shown at present, and the way on. */
  function sendNotNow(reply: FastifyReply, visit: Visit, happened: string): FastifyReply {
    const next = html`<p><a class="button" href="${visit.path('welcome')}">${words.stale.again}</a></p>`
    return sendSimple(reply, words.notNow.title, html`<p>${noticeOf(happened) ?? ''}</p>${next}`)
  }
}

/** What a page tells of an error, as `noticeOf` reads it; undefined for one that no page can cause. */
function noticeOfError(error: unknown): string | undefined {
  if (!(error instanceof DomainError)) return undefined
  const { code, retryAfterSeconds = 1 } = error
  const notice = code === 'rate_limited' ? writtenNotice([code, Math.ceil(retryAfterSeconds)]) : code
  return noticeOf(notice) === undefined ? undefined : notice
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

import type { FastifyInstance } from 'fastify'
import type { PageDeployment } from '../app/http/route-dependencies.ts'
import { operatorLook } from '../contracts/links/operator-frame.ts'
import { privacyPath } from '../contracts/operator-file.ts'
import { type Shown, sendPage } from '../pages/frame.ts'
import { html } from '../pages/html.ts'
import { serveAssets, serveLook } from '../pages/look.ts'
import { registerPages } from '../pages/register-pages.ts'
import { cancelPage } from './after-signing/cancel.page.ts'
import { complaintsPage } from './after-signing/complaints.page.ts'
import { deathPage } from './after-signing/death.page.ts'
import { handOverPage } from './after-signing/hand-over.page.ts'
import { homePage } from './after-signing/home.page.ts'
import { keepPage } from './after-signing/keep.page.ts'
import { leavePage } from './after-signing/leave.page.ts'
import { meterReadingsPage } from './after-signing/meter-readings.page.ts'
import { movingOutPage } from './after-signing/moving-out.page.ts'
import { questionTo, tenancyEndPage } from './after-signing/tenancy-end.page.ts'
import { agreePage } from './before-signing/agree.page.ts'
import { cardPage } from './before-signing/card.page.ts'
import { cardEntryPage, cardScript } from './before-signing/card-entry.page.ts'
import { detailsPage } from './before-signing/details.page.ts'
import { contractPages, donePage } from './before-signing/done.page.ts'
import { earlySupplyPage } from './before-signing/early-supply.page.ts'
import { extraHelpPage } from './before-signing/extra-help.page.ts'
import { householdPage } from './before-signing/household.page.ts'
import { draftPages, paymentsPage } from './before-signing/payments.page.ts'
import { hasSigned, pathToGoOn } from './before-signing/steps.ts'
import { welcomePage } from './before-signing/welcome.page.ts'
import { calendarPage } from './calendar.page.ts'
import { privacyPage, publicPrivacyPage } from './privacy.page.ts'
import { codePage } from './session/code.page.ts'
import { registerLinks } from './session/register-links.ts'
import { createVisits } from './session/visits.ts'
import { createTenantHttp, root, type TenantPagesOptions } from './tenant-http.ts'
import type { GoTo, TenantPage, Visit } from './tenant-visit.ts'
import { words } from './words.ts'

/** Where the tenant closes the pages on a device. */
const signOutPage: TenantPage = {
  name: 'sign-out',
  needs: 'link',
  when: 'always',
  show: async ({ path }) => ({ goTo: path('') }),
  async submit(visit) {
    await visit.signOut()
    const { title, text } = words.closed
    return { title, body: html`<h1>${title}</h1><p>${text}</p>`, isOver: true }
  },
}

async function isAsked(visit: Visit): Promise<boolean> {
  const question = await questionTo(visit)
  return question !== undefined && question.answer === null
}

/** Every page of a tenant. The one without a name sends them to where they left off. */
const tenantPages: readonly TenantPage[] = [
  {
    name: '',
    needs: 'link',
    when: 'always',
    // Who is asked something by e-mail comes to answer it.
    show: async (visit) => ({ goTo: (await isAsked(visit)) ? visit.path(tenancyEndPage.name) : pathToGoOn(visit) }),
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
  keepPage,
  leavePage,
  tenancyEndPage,
  handOverPage,
  meterReadingsPage,
  movingOutPage,
  complaintsPage,
  deathPage,
  privacyPage,
  calendarPage,
  signOutPage,
]

/**
 * The tenants' pages, at /my-bills. A link opens a page with a button, which begins a session: mail scanners open links
 * too, and the link's secret leaves the address bar. Everything else takes the session's cookie, and every form the
 * session's token.
 */
export function registerTenantPages(
  app: FastifyInstance,
  deployment: PageDeployment,
  options: TenantPagesOptions,
): void {
  const http = createTenantHttp(deployment, options)
  const { frameOf, limited, admit, sendEnded } = http
  const visits = createVisits(deployment, http, options)
  registerLinks(app, deployment, { http, visits, options })

  serveLook(app, operatorLook(deployment))
  serveAssets(app, [cardScript])
  registerPages<Visit, TenantPage>(app, {
    root: `${root}/:customerId`,
    pages: tenantPages,
    publicUrl: options.publicUrl,
    admit,
    visitOf: visits.visitOf,
    askToSignIn: (_request, reply, entered) => sendEnded(reply, entered),
    insteadOf: (page, visit) => insteadOf(page, visit, deployment.operator.trader.name),
    frameOf,
    recordRead: ({ deps, customerId }) => deployment.readLog.record(deps.db, { subjectType: 'customer', customerId }),
    notices: words.notices,
    notNow: words.notNow,
  })
  app.get(privacyPath, (request, reply) =>
    limited(request, reply, async () => sendPage(reply, frameOf(), publicPrivacyPage(deployment))),
  )
}

/** What a tenant sees instead of a page that is not for them now; undefined if it is. */
function insteadOf(page: TenantPage, visit: Visit, operator: string): GoTo | Shown | undefined {
  const { quote, path, session, isPartnerStopped, customer } = visit
  const sentence = (title: string, text: string) => ({ title, body: html`<h1>${title}</h1><p>${text}</p>` })
  // How data is used, and the way out, are open to whoever has a session.
  if (page === signOutPage || page === privacyPage) return undefined
  if (isPartnerStopped && !hasSigned(visit)) return sentence(words.stopped.title, words.stopped.text(operator))
  if (quote.stage === 'cancelled') return sentence(words.cancelled.title, words.cancelled.text)
  if (page.when !== 'always' && (page.when === 'after signing') !== hasSigned(visit)) return { goTo: path('') }
  const needsAddress = customer.personal.email === '' && !['', codePage.name, welcomePage.name].includes(page.name)
  if ((page.needs === 'code' && !session.isConfirmed) || needsAddress)
    return { goTo: `${path('code')}?next=${encodeURIComponent(page.name)}` }
  return undefined
}

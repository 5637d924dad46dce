import { type OperatorFile, privacyPath } from '../contracts/operator-file.ts'
import { printableParagraphs } from '../contracts/printable.ts'
import { type Html, html } from '../pages/html.ts'
import { leadTenantId } from '../quoting/quotes/quote.ts'
import { fullName } from '../quoting/tenants/customer.ts'
import type { TenantPage, Visit } from './tenant-visit.ts'
import { words } from './words.ts'

const text = words.privacy

/** Whose data the page is about, as far as it is known. */
interface PrivacyOf {
  operator: Pick<OperatorFile, 'trader' | 'privacyNotice'>
  abandonedQuoteDays: number
  /** The name of the partner that the tenant came from. */
  partner: string
  /** Who gave us the tenant's name and address. */
  source: string
}

/**
 * How data is used: who decides, where it came from, how long it is kept, how to complain, and the operator's notice.
 */
function bodyOf({ operator, abandonedQuoteDays, partner, source }: PrivacyOf): Html {
  const { trader, privacyNotice } = operator
  return html`<h1>${text.title}</h1>
<h2>${text.whoHeading}</h2><p>${text.who(trader.name, partner)}</p>
<h2>${text.fromHeading}</h2><p>${text.from(source)}</p>
<h2>${text.keptHeading}</h2><p>${text.kept(abandonedQuoteDays)}</p>
<h2>${text.complainHeading}</h2><p>${text.complain(trader.email, trader.phone)}</p>
${privacyNotice === undefined ? null : html`<h2>${text.noticeHeading(trader.name)}</h2>${noticeOf(privacyNotice)}`}`
}

/** The operator's notice: its address, or its text. */
function noticeOf(notice: string): Html {
  if (/^https:\/\/\S+$/.test(notice)) return html`<p><a href="${notice}">${notice}</a></p>`
  return html`${printableParagraphs(notice).map((paragraph) => html`<p>${paragraph}</p>`)}`
}

/** The page for everybody, which can name no partner. */
export function publicPrivacyPage(about: Pick<PrivacyOf, 'operator' | 'abandonedQuoteDays'>) {
  const body = bodyOf({ ...about, partner: text.anyPartner, source: text.anySource })
  return { title: text.title, body }
}

/** The same page for a tenant: it names their partner, and who gave us their name. */
export const privacyPage: TenantPage = {
  name: 'privacy',
  needs: 'link',
  when: 'always',
  async show(visit) {
    const { deps, partnerName: partner } = visit
    return { title: text.title, back: visit.path(''), body: bodyOf({ ...deps, partner, source: sourceOf(visit) }) }
  },
}

/** Whose permission was recorded: a housemate's, by name for who has entered a code, or else the partner's. */
function sourceOf({ quote, customer, customerId, partnerName, session }: Visit): string {
  const by = customer.personal.contactPermission?.by
  const named = quote.tenants.find(({ tenantId, personal }) => tenantId !== customerId && fullName(personal) === by)
  if (named === undefined || customerId === leadTenantId(quote)) return partnerName
  return session.isConfirmed ? named.personal.firstName : text.housemate
}

/** A sentence on why something is asked, with the way to how data is used. */
export function whyAsked(why: string, path: Visit['path']): Html {
  return html`<p class="hint">${why} <a href="${path(privacyPath.slice(1))}">${text.link}</a></p>`
}

import { listCommissionTerms } from '../../back-office/commission/commission-statement.ts'
import { termsOn, tiersInWords } from '../../back-office/commission/commission-terms.ts'
import { capitalised } from '../../contracts/bought-services.ts'
import { loadScheduledPayments } from '../../contracts/preview/scheduled-payments.ts'
import { getCustomerTotalCost } from '../../onboarding/customer-total-cost.ts'
import { formOf } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { getQuoteTotalCost } from '../../quoting/pricing/quote-total-cost.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { envelopeLines, isExpired } from '../../quoting/quotes/quote.ts'
import { contractTermInWords } from '../../quoting/quotes/tenancy.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { contractBefore, pathToGoOn } from './steps.ts'

const text = words.welcome

/** What the home is, what the tenant's share costs, and what they are liable for. */
export const welcomePage: TenantPage = {
  name: 'welcome',
  needs: 'link',
  when: 'before signing',
  async show(visit) {
    const { quote, caller } = visit
    const title = text.title(visit.session.isConfirmed ? visit.customer.personal.firstName : '')
    if (quote.price === null) return { title, body: html`<h1>${title}</h1><p>${text.noPackages}</p>` }
    if (isExpired(quote, caller.now)) return expired(visit)
    return { title, body: html`<h1>${title}</h1>${await offer(visit)}` }
  },
  async submit(visit, form) {
    if (form.text('do') !== 'renew') return visit.path('details')
    try {
      await getQuoteTotalCost(visit.deps, visit.caller, visit.quote.quoteId)
    } catch (error) {
      if (error instanceof DomainError && error.code === 'quote_expired')
        return { title: text.expiredTitle, body: html`<h1>${text.expiredTitle}</h1><p>${text.offerOver}</p>` }
      throw error
    }
    const { deps, caller, customerId, quote, path } = visit
    const before = quote.price && shareOf(quote.price, customerId).monthlyCost
    const now = (await getCustomerTotalCost(deps, caller, customerId)).share.monthlyCost
    const isSame = before === null || before === now
    return { goTo: path('welcome'), notice: isSame ? ['price_unchanged', now] : ['price_changed', before, now] }
  },
}

function expired(visit: Visit): { title: string; body: Html } {
  const { quote, session } = visit
  const title = text.expiredTitle
  return {
    title,
    body: html`<h1>${title}</h1>${contractBefore(visit)}<p>${text.expired(londonDate(quote.expiresAt))}</p>
${formOf(session.formToken, html`<input type="hidden" name="do" value="renew">`, text.renew)}`,
  }
}

async function offer(visit: Visit): Promise<Html> {
  const { deps, caller, customer, quote, session, customerId } = visit
  const { share, packages } = await getCustomerTotalCost(deps, caller, customerId)
  const { price } = quote
  if (price === null) throw new Error('a price has gone')
  const { now } = caller
  const { payments } = await loadScheduledPayments(deps.db, { ...deps, quote, price, customer, now })
  const [first] = payments
  const people = price.shares.length
  return html`${contractBefore(visit)}<p>${text.intro(envelopeLines(quote.address).join(', '))}</p>
<dl class="figures">
<div><dt>${people === 1 ? text.yourPrice : text.yourShare}</dt><dd>${words.perMonth(share.monthlyCost)}</dd></div>
<div><dt>${text.inTotal}</dt><dd>${text.total(share.totalCost, share.setupCost)}</dd></div>
${first === undefined ? null : html`<div><dt>${text.payment(payments.length)}</dt><dd>${text.on(first.amount, first.date)}</dd></div>`}
<div><dt>${text.dates}</dt><dd>${capitalised(contractTermInWords({ ...quote, ...price }, deps.quotePolicy))}: ${text.fromTo(price.contractStartDate, price.contractEndDate)}</dd></div>
</dl>
<p>${text.household(price.monthlyCost, people)}.</p>
${quote.meter?.heating === 'heat_network' ? html`<p>${words.heatNetwork}</p>` : null}
${ownShare(visit, people)}
<h2>${text.included}</h2>
<ul>${packages.map((each) => html`<li>${each.name}: ${words.perMonth(each.monthlyCost)}</li>`)}</ul>
${await introducer(visit)}<p>${text.whatNext}</p>
${customer.status === 'active' ? formOf(session.formToken, html``, text.button) : html`<p><a class="button" href="${pathToGoOn(visit)}">${words.continue}</a></p>`}`
}

/** That nobody owes another's share, in large letters: the first question of everybody who shares bills. */
function ownShare({ quote }: Visit, people: number): Html {
  const { takingOver, lockedUntil } = quote
  if (takingOver !== undefined)
    return html`<p class="own-share">${text.ownShare} ${text.takesOver(takingOver.from)}</p>`
  if (people === 1) return html``
  const unless = lockedUntil === null ? text.unlessAllUndated : text.unlessAll(londonDate(lockedUntil))
  return html`<p class="own-share">${text.ownShare} ${unless}</p>`
}

/** Who introduced the tenant, and what the operator has agreed to pay the partner for that. */
async function introducer({ deps, caller, partnerName }: Visit): Promise<Html | null> {
  const all = await listCommissionTerms(deps, caller)
  const terms = termsOn(all, londonDate(caller.now)) ?? all[0]
  if (terms === undefined) return null
  return html`<p>${text.introducer(partnerName, deps.operator.trader.name, tiersInWords(terms.tiers))}</p>`
}

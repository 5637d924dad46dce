import { loadScheduledPayments } from '../../contracts/preview/scheduled-payments.ts'
import { createSetupIntent, recordUnreportedCard } from '../../onboarding/create-setup-intent.ts'
import { FormRejected, formOf } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { paymentError } from '../../payments/payment-error.ts'
import { readLatestSetupIntent } from '../../payments/setup-intents/setup-intents-of-customer.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { leadTenantId, type Quote } from '../../quoting/quotes/quote.ts'
import { whyAsked } from '../privacy.page.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { hasCard, hasSigned, isHouseholdComplete, pathAfter, pathBefore, pathFirst, progressOf } from './steps.ts'

const text = words.card

/**
 * The card. The first one locks people, services and dates for the whole household, so it opens once somebody has said
 * that everybody is here, and only a button begins it.
 */
export const cardPage: TenantPage = {
  name: 'card',
  needs: 'link',
  when: 'always',
  async show(visit) {
    if (hasSigned(visit)) {
      if (!visit.session.isConfirmed) return { goTo: `${visit.path('code')}?next=card` }
      return { title: text.title, back: visit.path('home'), body: html`<h1>${text.title}</h1>${await content(visit)}` }
    }
    const first = pathFirst(visit)
    if (first !== undefined) return { goTo: first }
    const common = { title: text.title, progress: progressOf(visit, 'card'), back: pathBefore(visit, 'card') }
    if (!isHouseholdComplete(visit)) {
      const lead = leadTenantId(visit.quote)
      if (lead === null || lead === visit.customerId) return { goTo: visit.path('household') }
      return { ...common, body: waits(visit) }
    }
    return { ...common, body: html`<h1>${text.title}</h1>${await content(visit)}` }
  },
  async submit(visit, form) {
    const { deps, caller, customerId, path } = visit
    const what = form.text('do')
    const replace = what === 'replace'
    // With a link alone, a card can be added but not exchanged for another.
    if (replace && !visit.session.isConfirmed) return `${path('code')}?next=card`
    if (hasSigned(visit) ? !visit.session.isConfirmed : !isHouseholdComplete(visit)) return path('card')
    // A card that replaces another is saved before the processor's notice of it arrives.
    if (what === 'look') await recordUnreportedCard(deps, caller, customerId)
    else if (deps.cardEntry === undefined) return path('card')
    // Who has a card already fixes nothing by another: that would lock a household that is open again.
    if ((hasSigned(visit) || hasCard(visit)) && !replace) return path('card')
    // Somebody may be put on the quote at this moment. Then the lead has not said of this household that it is complete.
    const requireOf = (quote: Quote) => {
      if (!hasSigned(visit) && !isHouseholdComplete({ quote })) throw new FormRejected([])
    }
    const { intent } = await createSetupIntent(deps, caller, customerId, { replace, requireOf })
    if (intent.status === 'succeeded' && !replace) return pathAfter(visit, 'card')
    return what === 'look' ? path('card') : (deps.cardEntry?.(intent, path) ?? path('card'))
  },
}

/** A housemate's name is only for tenants who have entered a code. */
function waits({ quote, session }: Visit): Html {
  const lead = quote.tenants.find(({ tenantId }) => tenantId === leadTenantId(quote))
  const name = session.isConfirmed ? lead?.personal.firstName : undefined
  const sentence = words.household.waitsFor(name ?? words.household.somebody)
  return html`<h1>${text.title}</h1><p>${sentence}</p>`
}

async function content(visit: Visit): Promise<Html> {
  const { deps, customer, quote, card, session } = visit
  if (quote.price === null) return html`<p>${words.welcome.noPackages}</p>`
  const intro = await nextPaymentInWords(visit)
  const formTo = (what: string, button: string, look: 'first' | 'second' | 'plain' = 'first') =>
    what !== 'look' && deps.cardEntry === undefined
      ? html`<p>${text.byPhone(deps.operator.trader)}</p>`
      : formOf(session.formToken, html`<input type="hidden" name="do" value="${what}">`, button, { look })
  if (hasCard(visit)) {
    // Which card it is was given by the tenant, so a link alone does not show it.
    const isShown = card !== null && session.isConfirmed
    const saved = isShown ? text.saved(capitalised(card.brand), card.last4) : text.savedUnnamed
    return html`<p><strong>${saved}</strong></p>${intro}
<p><a class="button" href="${hasSigned(visit) ? visit.path('home') : pathAfter(visit, 'card')}">${words.continue}</a></p>
${formTo('replace', text.another, 'plain')}`
  }
  if (customer.paymentStatus === 'setup_started')
    return html`<p role="status">${text.waiting}</p>${intro}${formTo('look', text.look)}
${formTo('again', text.tryAgain, 'second')}`
  if (customer.paymentStatus === 'setup_failed')
    return html`<div class="notice bad" role="alert"><p>${await failureOf(visit)}</p></div>${intro}${formTo('again', text.tryAgain)}`
  const fixes =
    quote.stage === 'open' ? html`<p>${quote.tenants.length === 1 ? text.fixesForOne : text.fixes}</p>` : null
  return html`${intro}${fixes}${whyAsked(words.privacy.whyCard, visit.path)}${formTo('add', text.button)}`
}

/** Why the card was not saved: a bank that could not ask the card holder has declined nothing. */
async function failureOf({ deps, caller, customerId }: Visit): Promise<string> {
  const intent = await readLatestSetupIntent(deps, caller, customerId)
  const error = intent?.error ?? 'card_declined'
  return error === 'card_declined' ? text.declined : `${paymentError(error).message} ${text.notSaved}`
}

/** What is taken from the card next, by whom and when. */
export async function nextPaymentInWords({ deps, caller, customer, quote }: Visit): Promise<Html | null> {
  const { price } = quote
  if (price === null) return null
  const { payments } = await loadScheduledPayments(deps.db, { ...deps, quote, price, customer, now: caller.now })
  const today = londonDate(caller.now)
  const [next, ...later] = payments.filter(
    ({ date, status, amount }) => status === 'planned' && date >= today && amount > 0,
  )
  if (next === undefined) return null
  return html`<p>${text.intro(next.amount, deps.operator.trader.name, next.date, later.length)}</p>`
}

function capitalised(brand: string): string {
  return `${brand.slice(0, 1).toUpperCase()}${brand.slice(1)}`
}

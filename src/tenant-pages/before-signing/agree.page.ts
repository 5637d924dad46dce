import { createHash } from 'node:crypto'
import { factsForContract } from '../../contracts/build-document.ts'
import { previewUrl } from '../../contracts/links/contract-url.ts'
import { prepareAgreement } from '../../contracts/preview/prepare-agreement.ts'
import { keyFacts } from '../../contracts/sections/key-facts.ts'
import { leavingEarlyInWords } from '../../contracts/sections/leaving-early.ts'
import { acceptTerms } from '../../onboarding/accept-terms.ts'
import { FormRejected, formOf } from '../../pages/form.ts'
import { type Html, html } from '../../pages/html.ts'
import { descriptionList } from '../../pages/lists.ts'
import { shareOf } from '../../quoting/pricing/split-lines.ts'
import { envelopeLines } from '../../quoting/quotes/quote.ts'
import { fullName } from '../../quoting/tenants/customer.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { previewLinks } from './payments.page.ts'
import { contractBefore, hasCard, isHouseholdComplete, pathBefore, pathFirst, progressOf } from './steps.ts'

const text = words.agree

/**
 * The agreement. What CCR 2013, reg. 14 requires stands directly above the button, and the button says that agreeing
 * means paying. Bound to the hash of what the page shows; the words of the block and the button are kept as evidence.
 */
export const agreePage: TenantPage = {
  name: 'agree',
  needs: 'code',
  when: 'before signing',
  async show(visit) {
    const first = pathFirst(visit)
    if (first !== undefined) return { goTo: first }
    if (!hasCard(visit) || !isHouseholdComplete(visit)) return { goTo: visit.path('card') }
    const { deps, caller, customerId, session } = visit
    // Records that this draft was shown, with the same hash as the block.
    await previewUrl(deps, caller, { customerId, format: 'html' })
    const { rows, button, shownText, documentHash, monthlyCost } = await whatIsAgreed(visit)
    const block = html`<div class="agree"><h2>${text.blockTitle}</h2>${descriptionList(rows.map(({ label, value }) => [label, value]))}</div><input type="hidden" name="monthlyCost" value="${monthlyCost}"><input type="hidden" name="lockedUntil" value="${lockOf(visit)}"><input type="hidden" name="documentHash" value="${documentHash}"><input type="hidden" name="shownHash" value="${hashOf(shownText)}">`
    return {
      title: text.title,
      progress: progressOf(visit, 'agree'),
      back: pathBefore(visit, 'agree'),
      body: html`<h1>${text.title}</h1>${contractBefore(visit)}<p>${text.intro}</p>${previewLinks(visit)}${whoSigns(visit)}${formOf(session.formToken, block, button)}`,
    }
  },
  async submit(visit, form) {
    const { deps, caller, customerId, from, path } = visit
    if (!hasCard(visit) || !isHouseholdComplete(visit)) return path('card')
    const { shownText, monthlyCost } = await whatIsAgreed(visit)
    // The hash of the documents covers neither the words of the block nor what changes by itself, such as until when
    // housemates can sign.
    if (form.text('shownHash') !== hashOf(shownText)) {
      const before = Number(form.text('monthlyCost'))
      if (before !== monthlyCost) return { goTo: path('agree'), notice: ['price_changed', before, monthlyCost] }
      const hasLockEnded = form.text('lockedUntil') !== '' && lockOf(visit) === ''
      return { goTo: path('agree'), notice: hasLockEnded ? 'lock_ended' : 'terms_changed' }
    }
    await acceptTerms(deps, caller, {
      customerId,
      documentHash: form.text('documentHash'),
      evidence: { ...from, shownText },
      // Somebody may be put on the quote at this moment. Then the lead has not said of this household that it is complete.
      requireOf: (quote) => {
        if (!isHouseholdComplete({ quote })) throw new FormRejected([])
      },
    })
    return path('done')
  },
}

/** Until when the household's price is kept; empty if it is not. */
function lockOf({ quote }: Visit): string {
  return quote.lockedUntil?.toISOString() ?? ''
}

/** Who signs: somebody else with the link may have given the details. */
function whoSigns({ customer: { personal }, quote, partnerName, path }: Visit): Html {
  const rows = [
    [words.details.name, fullName(personal)],
    [words.details.email, personal.email],
    [words.details.phone, personal.phone],
    [words.details.dateOfBirth, text.notShown],
  ]
  const home = envelopeLines(quote.address).join(', ')
  return html`<h2>${text.whoSigns}</h2><p>${text.givenByYou}</p><ul class="people">${rows.map(
    ([name, value]) =>
      html`<li><span>${name}: ${value}</span><a href="${path('details')}?from=agree">${text.change}<span class="unseen"> ${name}</span></a></li>`,
  )}<li><span>${words.home.home}: ${home}</span></li></ul><p>${text.notYourHome(partnerName)}</p>`
}

/** The block above the button, in the words of the contract itself, and the button. */
async function whatIsAgreed({ deps, caller, customer, quote, customerId }: Visit) {
  const prepared = await prepareAgreement(deps.db, deps, { quote, customer, now: caller.now })
  const facts = factsForContract(deps, prepared, { acceptedAt: caller.now, contractNumber: null })
  const rows = [
    ...keyFacts(facts).map(({ label, value, note }) => ({ label, value: `${value}. ${note}` })),
    { label: text.leaving, value: leavingEarlyInWords(facts).join(' ') },
  ]
  const share = shareOf(prepared.price, customerId)
  const { monthlyCost } = share
  const button = text.button(words.price(share, facts.payments.length))
  const shownText = [...rows.map(({ label, value }) => `${label}: ${value}`), `[${button}]`].join('\n')
  return { rows, button, shownText, documentHash: prepared.documentHash, monthlyCost }
}

function hashOf(shown: string): string {
  return createHash('sha256').update(shown).digest('hex')
}

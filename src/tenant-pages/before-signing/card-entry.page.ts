import { readFileSync } from 'node:fs'
import { html } from '../../pages/html.ts'
import { assetOf } from '../../pages/look.ts'
import { paymentError } from '../../payments/payment-error.ts'
import { knownErrors } from '../../payments/processor/stripe-setup-intent.ts'
import { readOpenSetupIntent } from '../../payments/setup-intents/setup-intents-of-customer.ts'
import { whyAsked } from '../privacy.page.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { nextPaymentInWords } from './card.page.ts'
import { hasCard, hasSigned, progressOf } from './steps.ts'

const text = words.cardEntry

const source = readFileSync(new URL('../assets/card-entry.js', import.meta.url))

/** The script of the page. */
export const cardScript = assetOf(source, 'js', 'text/javascript; charset=utf-8')

/** The release of Stripe's script that belongs to the version of its API that the library uses. */
const stripeScript = 'https://js.stripe.com/endive/stripe.js'

/** What Stripe's script needs: https://docs.stripe.com/security/guide#content-security-policy */
const allowed = {
  'script-src': "'self' https://js.stripe.com https://*.js.stripe.com",
  'frame-src': 'https://js.stripe.com https://*.js.stripe.com https://hooks.stripe.com',
  'connect-src': 'https://api.stripe.com',
}

/**
 * Where the card is entered, in a field of the processor's own. Opening the page creates nothing: without a set-up that
 * is open, it leads back to the page of the card.
 */
export const cardEntryPage: TenantPage = {
  name: 'card-entry',
  needs: 'link',
  when: 'always',
  async show(visit) {
    const { deps, caller, customerId, path, session } = visit
    if ((hasSigned(visit) || hasCard(visit)) && !session.isConfirmed) return { goTo: path('card') }
    const intent = deps.publishableKey === undefined ? undefined : await readOpenSetupIntent(deps, caller, customerId)
    if (intent === undefined) return { goTo: path('card') }
    const lastError = intent.error === null ? null : paymentError(intent.error).message
    return {
      title: words.card.title,
      progress: progressOf(visit, 'card'),
      back: path('card'),
      allowed,
      body: html`<h1>${words.card.title}</h1>
<div class="notice bad" id="card-problem" role="alert" tabindex="-1"${lastError === null ? html` hidden` : null}><p>${lastError}</p></div>
${await nextPaymentInWords(visit)}
<noscript><div class="notice"><p>${words.card.needsScript}</p><p>${words.card.byPhone(deps.operator.trader)}</p></div></noscript>
<form id="card-entry" method="post" action="${path('card')}" hidden data-client-secret="${intent.clientSecret}" data-publishable-key="${deps.publishableKey}" data-return-url="${deps.contractUrlPolicy.publicUrl}${path('card-entry')}" data-messages="${JSON.stringify(messages(visit))}">
<input type="hidden" name="formToken" value="${session.formToken}">
<input type="hidden" name="do" value="look">
<div class="field" id="card-field"></div>
<p class="hint">${text.whoSees}</p>${whyAsked(words.privacy.whyCard, path)}
<p role="status"></p>
<button type="submit">${text.button}</button>
</form>
<script src="${stripeScript}" defer></script>
<script src="${cardScript.path}" defer></script>`,
    }
  },
}

/** What the page can have to say. */
function messages({ deps }: Visit) {
  const codes = [...knownErrors].map(([code, error]) => [code, paymentError(error).message])
  return {
    loading: text.loading,
    sending: text.sending,
    notLoaded: `${text.notLoaded} ${words.card.byPhone(deps.operator.trader)}`,
    notSent: text.notSent,
    declined: words.card.declined,
    codes: Object.fromEntries(codes) as Record<string, string>,
  }
}

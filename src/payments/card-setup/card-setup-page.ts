import { type Html, html, raw } from '../../pages/html.ts'
import { type CardBrand, type TestCard, testCards } from '../test-cards.ts'

/** The test cards shown initially; the rest can be expanded. */
const featured = ['4242424242424242', '4000002760003184', '4000008400001629', '4000000000000002', '4000000000009995']

const brandNames: Record<CardBrand, string> = { visa: 'Visa', mastercard: 'Mastercard', amex: 'American Express' }

/** The whole page. In the browser, the intent's status decides which view is shown. */
export function cardSetupPage({
  setupIntentId,
  nonce,
  css,
}: {
  setupIntentId: string
  nonce: string
  css: string
}): Html {
  return html`<!doctype html>
<html lang="en-GB">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>Add your card · Housebill sandbox</title>
<link rel="icon" href="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E%3Crect width='16' height='16' rx='4' fill='%230b5f58'/%3E%3Cpath d='M3 8l5-4 5 4v5H3z' fill='white'/%3E%3C/svg%3E">
<style nonce="${nonce}">${raw(css)}</style>
</head>
<body>
<p class="strip" role="note"><strong>Sandbox</strong> No real cards, no real money</p>
<main id="card-setup" data-setup-intent="${setupIntentId}">
<div class="stage">
${wordmark}${openingView}${collectView}${authenticateView}${doneView}${closedView}${brokenView}
<noscript><section class="panel"><h1>This page needs JavaScript</h1><p>It sends your card details securely. Turn on JavaScript and reload the page.</p></section></noscript>
<dl class="facts"><div><dt>Setup intent</dt><dd>${setupIntentId}</dd></div><div><dt>Status</dt><dd id="status">unknown</dd></div></dl>
</div>
<aside id="test-cards" aria-labelledby="test-cards-title" hidden>
<h2 id="test-cards-title">Test cards</h2>
<p>Choose a number to fill in the form.</p>
${cardTable(
  'Most used test cards',
  testCards.filter((card) => featured.includes(card.number)),
)}
<details><summary>More test cards</summary>
${cardTable(
  'More test cards',
  testCards.filter((card) => !featured.includes(card.number)),
)}
</details>
</aside>
<p id="announcement" class="unseen" role="status"></p>
</main>
<script type="module" nonce="${nonce}">
import { startCardSetup } from '/sandbox/card-setup/assets/card-setup.js'
const given = new URLSearchParams(location.hash.slice(1))
startCardSetup(given.get('client_secret'), given.get('return_url'))
addEventListener('hashchange', () => location.reload())
</script>
</body>
</html>
`
}

const wordmark = html`<p class="wordmark"><svg viewBox="0 0 16 16" aria-hidden="true"><rect width="16" height="16" rx="4"/><path d="M3.5 7.6 8 4l4.5 3.6V12h-9z"/></svg> Housebill</p>
`

const openingView = html`<section class="panel" id="opening" data-view><h1 tabindex="-1">Loading the card form…</h1></section>`

const collectView = html`<section class="panel" id="collect" data-view hidden>
<h1 tabindex="-1">Add your card</h1>
<p class="lead">Your share of the household bills will be taken from this card. Nothing is taken today.</p>
<div id="problem" class="problem" role="alert" tabindex="-1" hidden>
<h2 id="problem-title"></h2>
<p id="problem-text"></p>
<ul id="problem-fields"></ul>
<p id="problem-code" class="code"></p>
</div>
<form id="card-form" novalidate>
${field({
  name: 'number',
  label: 'Card number',
  attributes: html`autocomplete="cc-number" maxlength="23" spellcheck="false"`,
  beside: html`<span id="brand" class="brand"></span>`,
})}
<div class="pair">
${field({ name: 'expiry', label: 'Expires', hint: 'MM / YY', attributes: html`autocomplete="cc-exp" maxlength="7" spellcheck="false"` })}
${field({ name: 'cvc', label: 'Security code', attributes: html`autocomplete="cc-csc" maxlength="4" spellcheck="false"` })}
</div>
<button class="primary" type="submit" id="save"><span>Save card</span></button>
<p class="small">By saving this card, you allow your monthly payments to be taken from it until you change or remove it.</p>
</form>
</section>`

const authenticateView = html`<section class="panel bank" id="authenticate" data-view hidden>
<p class="small">Sandbox Bank · 3-D Secure</p>
<h1 tabindex="-1">Is this you?</h1>
<p class="lead">Housebill wants to save <span id="authenticated-card">your card</span> for monthly payments. Your bank asks you to approve this.</p>
<p id="authenticate-problem" class="problem" role="alert" hidden></p>
<div class="choices">
<button class="primary" type="button" data-outcome="authenticated"><span>Authenticate</span></button>
<button class="secondary" type="button" data-outcome="failed"><span>Fail authentication</span></button>
</div>
<p class="small">A sandbox does not ask for a password. Choose what the customer would do.</p>
</section>`

const doneView = html`<section class="panel result" id="done" data-view hidden>
<svg class="mark" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="22"/><path d="M14 25l7 7 14-15"/></svg>
<h1 tabindex="-1">Card saved</h1>
<p class="lead"><span id="saved-card">Your card</span> is ready for your monthly payments. Nothing was taken today.</p>
<p id="way-back">You can close this page and go back to where you came from.</p>
</section>`

const closedView = html`<section class="panel result" id="closed" data-view hidden>
<h1 tabindex="-1">This card set-up was cancelled</h1>
<p class="lead">Nothing was saved. Ask for a new link to add a card.</p>
</section>`

const brokenView = html`<section class="panel result" id="broken" data-view hidden>
<h1 tabindex="-1">This link does not work</h1>
<p class="lead" id="broken-text">Part of the link is missing. Open it again from the message you received, or ask for a new one.</p>
<button class="secondary" type="button" id="reload" hidden><span>Try again</span></button>
</section>`

function field({
  name,
  label,
  hint,
  attributes,
  beside,
}: {
  name: string
  label: string
  hint?: string
  attributes: Html
  beside?: Html
}): Html {
  return html`<div class="field" id="${name}-field">
<label for="${name}">${label}${hint === undefined ? null : html` <span class="hint">${hint}</span>`}</label>
<div class="box"><input id="${name}" name="${name}" type="text" inputmode="numeric" required aria-describedby="${name}-error" ${attributes}>${beside}</div>
<p class="field-error" id="${name}-error"></p>
</div>`
}

function cardTable(caption: string, cards: readonly TestCard[]): Html {
  const rows = cards.map(
    (card) => html`<tr>
<td><button type="button" data-number="${card.number}"><span class="digits">${grouped(card)}</span> <span class="kind">${brandNames[card.brand]}</span></button></td>
<td>${card.purpose}</td>
</tr>
`,
  )
  return html`<table><caption class="unseen">${caption}</caption>
<thead class="unseen"><tr><th scope="col">Number</th><th scope="col">What happens</th></tr></thead>
<tbody>
${rows}</tbody></table>`
}

/** The number in groups, as printed on the card. */
function grouped({ number, brand }: TestCard): string {
  const ends = brand === 'amex' ? [4, 10, 15] : [4, 8, 12, 16]
  return ends.map((end, index) => number.slice(ends[index - 1] ?? 0, end)).join(' ')
}

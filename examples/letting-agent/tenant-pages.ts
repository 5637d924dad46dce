import type { ApiError, CustomerCost, Payment } from '../../clients/typescript/src/entry.ts'
import { pounds } from './agent-pages.ts'
import { type Html, html } from './html.ts'
import type { TenancyTenant } from './tenancy-store.ts'

/** Why a form was not accepted, with what was typed. */
export interface FormProblem {
  error: ApiError
  typed: URLSearchParams
}

const fields = [
  {
    name: 'firstName',
    label: 'First name',
    remedy: 'Enter your first name',
    attributes: html`autocomplete="given-name"`,
  },
  {
    name: 'lastName',
    label: 'Last name',
    remedy: 'Enter your last name',
    attributes: html`autocomplete="family-name"`,
  },
  {
    name: 'phone',
    label: 'Phone',
    remedy: 'Enter a UK phone number, such as 07700 900123',
    attributes: html`type="tel" autocomplete="tel"`,
  },
  {
    name: 'dateOfBirth',
    label: 'Date of birth',
    remedy: 'Check your date of birth. You must be 18 or older',
    attributes: html`type="date" autocomplete="bday"`,
  },
] as const

/** The price, which every step shows first. */
export function priceBody({ monthlyCost, packages }: CustomerCost, isNew: boolean, isShared: boolean): Html {
  const names = packages.map(({ name }) => name).join(' and ')
  return html`${isNew && html`<p role="status">Prices have changed since you last looked. This is the new one.</p>`}
<p class="price">${pounds(monthlyCost)} a month</p><p>${isShared ? 'Your share of ' : 'For '}${names}.</p>`
}

/** What was wrong with a form, in words for tenants, with a link to each field. */
export function problemBody({ error }: FormProblem): Html {
  const links = fields
    .filter(({ name }) => isWrong(error, name))
    .map(({ name, remedy }) => html`<li><a href="#${name}">${remedy}</a></li>`)
  const text = links.length > 0 ? 'There is a problem with what you entered' : error.title
  return html`<div class="problem" role="alert"><p>${text}</p>${links.length > 0 && html`<ul>${links}</ul>`}</div>`
}

function isWrong(error: ApiError, name: string): boolean {
  return error.errors.some(({ pointer }) => pointer === `/${name}`)
}

/** The first step: who the tenant is. */
export function detailsBody({ linkToken, name }: TenancyTenant, problem: FormProblem | undefined): Html {
  const [, first = name, last = ''] = /^(.*) (\S+)$/.exec(name) ?? []
  const known: Record<string, string> = { firstName: first, lastName: last }
  const inputs = fields.map((field) => {
    const isInvalid = problem && isWrong(problem.error, field.name)
    return html`<label for="${field.name}">${field.label}</label><input id="${field.name}" name="${field.name}" required
value="${problem?.typed.get(field.name) ?? known[field.name]}" ${isInvalid && html`aria-invalid="true"`} ${field.attributes}>`
  })
  return html`<h2>Your details</h2><form method="post" action="/bills/${linkToken}/details">${inputs}<button>Continue</button></form>`
}

/** The second step: what the tenant would agree to, and the card. */
export function cardBody({ linkToken, paymentStatus }: TenancyTenant, offer: Html): Html {
  return html`${offer}<h2>Your card</h2>${paymentStatus === 'setup_failed' && html`<p role="status">Your card was declined. Try another one.</p>`}
${paymentStatus === 'setup_started' && html`<p role="status">Your card is not saved yet. <a href="/bills/${linkToken}">I have saved my card</a></p>`}
<p>Nothing is taken today.</p>
<form method="post" action="/bills/${linkToken}/card"><button>Enter your card</button></form>`
}

const day = (date: string) => new Date(date).toLocaleDateString('en-GB', { dateStyle: 'long', timeZone: 'UTC' })

/** The contract to read, and its payments. */
export function offerBody(previewUrl: string, payments: readonly Payment[]): Html {
  const [first, next] = payments
  return html`<h2>Your contract</h2><p><a href="${previewUrl}">Read the contract</a> before you accept it.</p>
${first && html`<p>First payment: ${pounds(first.amount)} on ${day(first.date)}${next && html`, then ${pounds(next.amount)} a month`}. The contract lists every payment.</p>`}`
}

/** The last step: the tenant accepts the document with this hash. */
export function acceptBody({ linkToken }: TenancyTenant, offer: Html, documentHash: string): Html {
  return html`${offer}<form method="post" action="/bills/${linkToken}/accept"><input type="hidden" name="documentHash" value="${documentHash}">
<label class="check" for="read"><input id="read" type="checkbox" required><span>I have read the contract and accept it</span></label><button>Accept</button></form>`
}

/** What follows. */
export function doneBody({ contract }: TenancyTenant, contractUrl: string): Html {
  const text =
    contract === 'in_force'
      ? 'Your contract is in force.'
      : 'Your contract begins when the other tenants have accepted.'
  return html`<h2>Thank you</h2><p>${text}</p><p><a href="${contractUrl}">Your contract</a></p>`
}

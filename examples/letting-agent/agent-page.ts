import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type CreatedHousehold, type HousebillClient, isApiError } from '../../clients/typescript/src/entry.ts'
import { type Html, html, page } from './html.ts'

/** What the server sends. */
interface Reply {
  title: string
  body: Html
  status?: number
}

const longestForm = 10_000
/** How many tenants the form has room for. */
const places = [0, 1, 2, 3] as const

/** Serves the agent's page: postcode, address, tenants, links. */
export async function handlePageRequest(
  request: IncomingMessage,
  response: ServerResponse,
  client: HousebillClient,
): Promise<void> {
  let reply: Reply
  try {
    reply = await replyTo(request, client)
  } catch (error) {
    console.error(error)
    reply = { title: 'Something went wrong', body: html`<p>Nothing is lost. Try again in a moment.</p>`, status: 503 }
  }
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'`
  response.writeHead(reply.status ?? 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
    // The tenants' links are secrets.
    'Cache-Control': 'no-store',
    'Referrer-Policy': 'no-referrer',
  })
  response.end(page(reply.title, reply.body))
}

async function replyTo(request: IncomingMessage, client: HousebillClient): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname !== '/')
    return { title: 'Page not found', body: html`<p><a href="/">Household bills</a></p>`, status: 404 }
  const title = 'Household bills'
  if (request.method !== 'POST')
    return { title, body: html`${await newHousehold(client, searchParams)}${await households(client)}` }
  if (request.headers['sec-fetch-site'] === 'cross-site')
    return { title, body: html`<p>This form came from another site.</p>`, status: 403 }
  const form = await readForm(request)
  try {
    const customerId = form.get('customerId')
    if (customerId === null) return created(await createHousehold(client, form))
    const { url } = await client.createOnboardingLink(customerId)
    return { title: 'A new link', body: html`<p>The earlier link no longer works.</p>${linkTo(url)}${back}` }
  } catch (error) {
    if (!isApiError(error)) throw error
    const problems = error.errors.map(({ pointer, detail }) => html`<li>${whose(pointer)}${detail}</li>`)
    const problem = html`<div class="problem" role="alert">${problems.length > 0 ? html`<ul>${problems}</ul>` : error.detail}</div>`
    return { title, body: html`${problem}${await newHousehold(client, form)}`, status: 422 }
  }
}

/** One call quotes the bills and makes each tenant's link. The key makes sending the form twice harmless. */
function createHousehold(client: HousebillClient, form: URLSearchParams): Promise<CreatedHousehold> {
  const emails = form.getAll('email')
  const people = form.getAll('name').map((name, index) => ({ name: name.trim(), email: (emails[index] ?? '').trim() }))
  return client.createHousehold(
    {
      addressUid: form.get('address') ?? '',
      packages: ['electricity', 'gas'],
      tenants: people.filter(({ name, email }) => name !== '' || email !== ''),
    },
    {},
    { idempotencyKey: form.get('key') ?? randomUUID() },
  )
}

/** Whom an error is about. */
function whose(pointer: string): string {
  const place = /^\/tenants\/(\d+)\//.exec(pointer)?.[1]
  return place === undefined ? '' : `Tenant ${Number(place) + 1}: `
}

const back = html`<p><a href="/">All households</a></p>`
const linkTo = (url: string) => html`<p><a href="${url}">${url}</a></p>`

function created({ address, cost, tenants }: CreatedHousehold): Reply {
  const pounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' })
  return {
    title: `${address.addressLine1}, ${address.city}`,
    body: html`${cost && html`<p class="price">${pounds.format(cost.monthlyCost / 100)} a month, ${pounds.format(cost.totalCost / 100)} in total</p>`}
<p>Electricity and gas for the household. Send each tenant their link.</p>
${tenants.map(({ name, url }) => html`<h2>${name}</h2>${linkTo(url)}`)}${back}`,
  }
}

/** The form: first the postcode, then the address and the tenants, with what was typed before. */
async function newHousehold(client: HousebillClient, typed: URLSearchParams): Promise<Html> {
  const postcode = typed.get('postcode') ?? ''
  const search = html`<form><label for="postcode">Postcode</label>
<input id="postcode" name="postcode" value="${postcode}" required maxlength="10" autocomplete="off"><button>Find addresses</button></form>`
  if (postcode === '') return search
  const addresses = await client.lookupAddresses({ postcode })
  if (addresses.length === 0) return html`${search}<p role="status">There is no such postcode.</p>`
  const options = addresses.map(
    ({ addressUid, addressLine1, city }) =>
      html`<option value="${addressUid}" ${addressUid === typed.get('address') && html`selected`}>${addressLine1}, ${city}</option>`,
  )
  const [names, emails] = [typed.getAll('name'), typed.getAll('email')]
  const tenants = places.map(
    (place) => html`<fieldset><legend>Tenant ${place + 1}${place > 0 && ' (if there is one)'}</legend>
<label for="name${place}">Full name</label><input id="name${place}" name="name" value="${names[place]}" maxlength="100" ${place === 0 && html`required`}>
<label for="email${place}">Email</label><input id="email${place}" name="email" value="${emails[place]}" type="email" ${place === 0 && html`required`}></fieldset>`,
  )
  return html`${search}<form method="post" action="/"><input type="hidden" name="postcode" value="${postcode}"><input type="hidden" name="key" value="${randomUUID()}">
<label for="address">Address</label><select id="address" name="address">${options}</select>${tenants}<button>Quote the bills</button></form>`
}

const progress: Record<string, string> = {
  active: 'invited',
  PersonalInfoComplete: 'details given',
  OnboardingComplete: 'signed',
}

/** The latest households, with how far each tenant is. Housebill keeps them, so this program needs no database. */
async function households(client: HousebillClient): Promise<Html> {
  const { data } = await client.listQuotes({ include: 'customers', limit: 20 })
  const list = data.map(({ address, customers = [] }) => {
    const people = customers.map(({ customerId, personalDetails: { firstName, lastName }, status }) => {
      const name = `${firstName} ${lastName}`.trim()
      return html`<li>${name}: ${progress[status]}<form method="post" action="/"><input type="hidden" name="customerId" value="${customerId}">
<button aria-label="New link for ${name}">New link</button></form></li>`
    })
    return html`<h3>${address.addressLine1}, ${address.city}</h3><ul>${people}</ul>`
  })
  return html`${list.length > 0 && html`<h2>Households</h2>${list}`}`
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let form = ''
  for await (const chunk of request.setEncoding('utf8')) {
    form += chunk
    if (form.length > longestForm) throw new Error('the form is too long')
  }
  return new URLSearchParams(form)
}

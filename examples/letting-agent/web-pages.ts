import type { IncomingMessage, ServerResponse } from 'node:http'
import { isApiError } from '../../clients/typescript/src/entry.ts'
import { newTenancyBody, tenanciesBody, tenancyBody } from './agent-pages.ts'
import type { BillSales } from './bill-sales.ts'
import { type Html, html, page } from './html.ts'
import type { TenancyTenant } from './tenancy-store.ts'
import {
  acceptBody,
  cardBody,
  detailsBody,
  doneBody,
  type FormProblem,
  offerBody,
  priceBody,
  problemBody,
} from './tenant-pages.ts'

/** What the server sends: a page, or where to go next. */
type Reply = { title: string; body: Html; status?: number } | { location: string }

const notFound: Reply = { title: 'Page not found', body: html`<p>Check the link.</p>`, status: 404 }
const longestForm = 10_000

/** Where a form leads that collects a card, and where this application is. */
interface Addresses {
  housebillUrl: string
  publicUrl: string
}

/** Serves the pages of the agent and of the tenants. */
export async function handlePageRequest(
  request: IncomingMessage,
  response: ServerResponse,
  sales: BillSales,
  addresses: Addresses,
): Promise<void> {
  let reply: Reply
  try {
    reply = await replyTo(request, sales, addresses)
  } catch (error) {
    console.error(error)
    reply = { title: 'Something went wrong', body: html`<p>Nothing is lost. Try again in a moment.</p>`, status: 503 }
  }
  // The links of tenants are secrets, so pages say nowhere where a visitor came from.
  response.setHeader('Referrer-Policy', 'no-referrer').setHeader('Cache-Control', 'no-store')
  if ('location' in reply) {
    response.writeHead(303, { Location: reply.location }).end()
    return
  }
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'; form-action 'self' ${addresses.housebillUrl}`
  response.writeHead(reply.status ?? 200, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy,
  })
  response.end(page(reply.title, reply.body))
}

async function replyTo(request: IncomingMessage, sales: BillSales, addresses: Addresses): Promise<Reply> {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  const [, area, id = '', step = ''] = pathname.split('/')
  const isPost = request.method === 'POST'
  if (isPost && request.headers['sec-fetch-site'] === 'cross-site') return { ...notFound, status: 403 }
  if (area === 'bills') {
    const tenant = sales.store.findTenant(id)
    if (tenant === undefined) return notFound
    if (isPost) return takeStep(request, sales, tenant, step, addresses)
    // A tenant can come back from the card page before the message about their card arrives.
    if (tenant.paymentStatus === 'setup_started') await sales.refresh(tenant.customerId)
    return tenantPage(sales, sales.store.findTenant(id) ?? tenant)
  }
  if (area === 'tenancies' && isPost) return addTenancy(sales, await readForm(request))
  if (area === 'tenancies') {
    const tenancy = sales.store.tenancies().find(({ tenancyId }) => tenancyId === id)
    if (tenancy === undefined) return notFound
    const { monthlyCost } = await sales.readHouseholdCost(id)
    const linkTo = (linkToken: string) => `${addresses.publicUrl}/bills/${linkToken}`
    return { title: tenancy.address, body: tenancyBody(monthlyCost, sales.store.tenants(id), linkTo) }
  }
  if (area === 'new') {
    const addresses = await sales.findAddresses(searchParams.get('postcode') ?? '')
    return { title: 'New tenancy', body: newTenancyBody(addresses) }
  }
  return pathname === '/' ? { title: 'Household bills', body: tenanciesBody(sales.store.tenancies()) } : notFound
}

async function addTenancy(sales: BillSales, form: URLSearchParams): Promise<Reply> {
  const emails = form.getAll('email')
  const people = form
    .getAll('name')
    .map((name, index) => ({ name: name.trim(), email: (emails[index] ?? '').trim() }))
    .filter(({ name }) => name !== '')
  try {
    return { location: `/tenancies/${await sales.quoteTenancy(form.get('address') ?? '', people)}` }
  } catch (error) {
    if (!isApiError(error)) throw error
    return {
      title: 'The bills cannot be quoted',
      body: html`<p>${error.detail}</p><p><a href="/">Start again</a></p>`,
      status: 422,
    }
  }
}

/** Takes the step that a tenant's form asks for. What Housebill rejects is shown above the form. */
async function takeStep(
  request: IncomingMessage,
  sales: BillSales,
  tenant: TenancyTenant,
  step: string,
  { housebillUrl, publicUrl }: Addresses,
): Promise<Reply> {
  const form = await readForm(request)
  const typed = (name: string) => form.get(name) ?? ''
  try {
    if (step === 'card')
      return {
        location: `${housebillUrl}${await sales.startCard(tenant, `${publicUrl}/bills/${tenant.linkToken}`)}`,
      }
    if (step === 'accept')
      await sales.accept(tenant, {
        documentHash: typed('documentHash'),
        tenantIp: request.socket.remoteAddress,
        tenantUserAgent: request.headers['user-agent'],
      })
    else
      await sales.giveDetails(tenant, {
        firstName: typed('firstName'),
        lastName: typed('lastName'),
        email: tenant.email,
        phone: typed('phone'),
        dateOfBirth: typed('dateOfBirth'),
      })
    return { location: `/bills/${tenant.linkToken}` }
  } catch (error) {
    if (!isApiError(error)) throw error
    return tenantPage(sales, tenant, { error, typed: form })
  }
}

/** A tenant's page: the price, and the step that comes next. */
async function tenantPage(sales: BillSales, tenant: TenancyTenant, problem?: FormProblem): Promise<Reply> {
  const { QuotePricesUpdated } = await sales.readHouseholdCost(tenant.tenancyId)
  const isShared = sales.store.tenants(tenant.tenancyId).length > 1
  const price = priceBody(await sales.readShare(tenant), QuotePricesUpdated, isShared)
  const next = await nextStep(sales, tenant, problem)
  return {
    title: `Bills for ${tenant.name}`,
    body: html`${problem && problemBody(problem)}${price}${next}`,
    status: problem ? 422 : 200,
  }
}

async function nextStep(sales: BillSales, tenant: TenancyTenant, problem: FormProblem | undefined): Promise<Html> {
  if (tenant.status === 'OnboardingComplete') return doneBody(tenant, await sales.contractUrl(tenant))
  if (tenant.status !== 'PersonalInfoComplete') return detailsBody(tenant, problem)
  const { previewUrl, documentHash, payments } = await sales.readOffer(tenant)
  const offer = offerBody(previewUrl, payments)
  return tenant.paymentStatus === 'ready' ? acceptBody(tenant, offer, documentHash) : cardBody(tenant, offer)
}

async function readForm(request: IncomingMessage): Promise<URLSearchParams> {
  let form = ''
  for await (const chunk of request.setEncoding('utf8')) {
    form += chunk
    if (form.length > longestForm) throw new Error('the form is too long')
  }
  return new URLSearchParams(form)
}

import { type Html, html } from './html.ts'
import type { Tenancy, TenancyTenant } from './tenancy-store.ts'

/** An amount of pence as people read it. */
export function pounds(pence: number): string {
  return new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' }).format(pence / 100)
}

/** How many tenants the form has room for. */
const places = [1, 2, 3, 4] as const

/** The first page: every tenancy, and where to begin a new one. */
export function tenanciesBody(tenancies: readonly Tenancy[]): Html {
  const list = tenancies.map(
    ({ tenancyId, address }) => html`<li><a href="/tenancies/${tenancyId}">${address}</a></li>`,
  )
  return html`<form action="/new"><label for="postcode">Postcode of a new tenancy</label>
<input id="postcode" name="postcode" required maxlength="10" autocomplete="off"><button>Find addresses</button></form>
${list.length > 0 && html`<h2>Tenancies</h2><ul>${list}</ul>`}`
}

/** The form of a new tenancy. */
export function newTenancyBody(addresses: readonly { addressUid: string; addressLine1: string; city: string }[]): Html {
  if (addresses.length === 0) return html`<p>There is no such postcode. <a href="/">Try another one</a>.</p>`
  const options = addresses.map(
    ({ addressUid, addressLine1, city }) => html`<option value="${addressUid}">${addressLine1}, ${city}</option>`,
  )
  const fields = places.map(
    (place) => html`<fieldset><legend>Tenant ${place}${place > 1 && ' (if there is one)'}</legend>
<label for="name${place}">Full name</label><input id="name${place}" name="name" maxlength="200" ${place === 1 && html`required`}>
<label for="email${place}">Email</label><input id="email${place}" name="email" type="email" ${place === 1 && html`required`}></fieldset>`,
  )
  return html`<form method="post" action="/tenancies"><label for="address">Address</label><select id="address" name="address">${options}</select>
${fields}<button>Quote the bills</button></form>`
}

/**
 * A tenancy with the price, and each tenant's status and the link to send them. `linkTo` makes it of its secret part.
 */
export function tenancyBody(
  monthlyCost: number,
  tenants: readonly TenancyTenant[],
  linkTo: (linkToken: string) => string,
): Html {
  const rows = tenants.map((tenant) => {
    const link = linkTo(tenant.linkToken)
    return html`<li><strong>${tenant.name}</strong>: ${progressOf(tenant)}<br><a href="${link}">${link}</a></li>`
  })
  return html`<p class="price">${pounds(monthlyCost)} a month</p><p>Electricity and gas for the household.</p>
<h2>Tenants</h2><p>Send each tenant their link.</p><ul>${rows}</ul><p><a href="/">All tenancies</a></p>`
}

function progressOf({ status, paymentStatus, contract }: TenancyTenant): string {
  if (contract === 'in_force') return 'contract in force'
  if (contract === 'agreed') return 'accepted, waiting for the other tenants'
  if (paymentStatus === 'ready') return 'card saved'
  if (paymentStatus === 'setup_failed') return 'card declined'
  return status === 'PersonalInfoComplete' ? 'details given' : 'invited'
}

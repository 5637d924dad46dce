import { credentials } from './child-service.ts'
import { post } from './side-by-side.ts'

/** A household with three tenants, and what it takes to call about it. */
export async function prepareHousehold(api: string) {
  const { access_token: token } = await post(`${api}/Auth/token`, credentials, {})
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const found = await fetch(`${api}/Addresses/lookup?postcode=LS29JT`, { headers })
  const [address] = (await found.json()) as { addressUid: string }[]
  const newQuote = { addressUid: address?.addressUid, packages: ['electricity', 'gas'] }
  const { quoteId } = await post(`${api}/Quotes`, newQuote, headers)
  const tenants = ['a', 'b', 'c'].map((name) => ({ name: `Tenant ${name}`, email: `${name}@example.com` }))
  const { leadTenantId } = await post(`${api}/Quotes/${quoteId}/add-tenants`, { tenants }, headers)
  return { headers, quoteId, leadTenantId, newQuote }
}

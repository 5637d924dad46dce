import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readOperator } from '../../src/app/reference-data.ts'
import { onboard, startHousehold } from '../support/household.ts'
import { connectNewPartner } from '../support/partners.ts'
import { advanceClock, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { shareTestService } from '../support/shared-service.ts'

const service = await shareTestService({}, { startAt: testTime })
const { trader } = await readOperator(undefined)

/** Opens a page as a browser does, and checks what every page for tenants has. */
async function open(url: string, status: number): Promise<string> {
  const response = await fetch(url, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } })
  const text = await response.text()
  assert.equal(response.status, status, text)
  const { headers } = response
  assert.match(headers.get('content-type') ?? '', /^text\/html/)
  assert.match(headers.get('cache-control') ?? '', /no-store/)
  assert.equal(headers.get('x-robots-tag'), 'noindex')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  for (const part of [trader.name, trader.email, trader.phone]) assert.ok(text.includes(part), `${part} in ${text}`)
  return text
}

test('a contract link works for 30 days; then its page names the operator and says how to get another', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own, { tenants: 1, contractStartDate: '2027-02-01' })
  await onboard(own, lead)
  const { contractUrl, pageUrl } = succeeded(await own.get(`/Customers/${lead}/pci-contract-url-html`))
  await advanceClock(own, { days: 29 })
  assert.equal((await fetch(contractUrl)).status, 200)
  await advanceClock(own, { days: 1 })
  for (const url of [contractUrl, pageUrl])
    assert.match(await open(url, 403), /no longer works.*ask .* for a new link/s)
})

test('the page around a document shows the present state of the contract and frames the unchanged document', async () => {
  const own = await connectNewPartner(service)
  const { tenants, lead } = await startHousehold(own, { tenants: 2, contractStartDate: '2027-02-01' })
  await onboard(own, lead)
  const { contractUrl, pageUrl } = succeeded(await own.get(`/Customers/${lead}/pci-contract-url-pdf`))
  assert.match(await open(pageUrl, 200), /Your contract is not in force yet/)
  await onboard(own, tenants[1] ?? '')
  await advanceClock(own, { days: 1 })
  const text = await open(pageUrl, 200)
  assert.match(text, /Your contract is in force.*In force since 1 December 2026.*until the end of 15 December 2026/s)
  const [, source = ''] = /<iframe src="([^"]+)"/.exec(text) ?? []
  const framed = await fetch(new URL(source, pageUrl))
  assert.equal(framed.status, 200)
  assert.match(framed.headers.get('content-security-policy') ?? '', /frame-ancestors 'self'/)
  assert.equal(framed.headers.get('x-frame-options'), 'SAMEORIGIN')
  assert.ok(framed.headers.has('repr-digest'))
  assert.equal((await fetch(contractUrl)).headers.get('content-type'), 'application/pdf')
  succeeded(await own.post(`/Customers/${lead}/cancel-contract`))
  assert.match(await open(pageUrl, 200), /Your contract was cancelled/)
  assert.match(await open(new URL('?token=wrong', pageUrl).href, 403), /no longer works/)
})

test('a browser gets a page for an unknown path, and a program a problem', async () => {
  assert.match(await open(`${service.baseUrl}/contract/none`, 404), /There is no page here/)
  await open(`${service.baseUrl}/terms/unknown`, 404)
  for (const [path, accept] of [
    ['/contract/none', 'application/json'],
    ['/contract/none', '*/*'],
    ['/partner-api/None', 'text/html'],
  ] as const) {
    const response = await fetch(`${service.baseUrl}${path}`, { headers: { accept } })
    assert.equal(response.status, 404)
    assert.match(response.headers.get('content-type') ?? '', /^application\/problem\+json/, path)
  }
  const wrong = [
    ['/my-bills/%zz', {}, 404],
    ['/my-bills/tenant_1/home', { method: 'POST', body: new URLSearchParams({ do: 'nothing' }) }, 405],
    ['/my-bills', { method: 'POST', body: new URLSearchParams({ email: 'a'.repeat(70_000) }) }, 413],
  ] as const
  for (const [path, init, status] of wrong) {
    const response = await fetch(`${service.baseUrl}${path}`, init)
    assert.equal(response.status, status, path)
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/, path)
    assert.match(await response.text(), /Questions\? Ask/, path)
  }
})

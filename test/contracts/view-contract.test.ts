import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, test } from 'node:test'
import { decodeJwt, SignJWT } from 'jose'
import { composeCipher } from '../../src/app/compose.ts'
import type { DocumentFormat } from '../../src/contracts/document-renderer.ts'
import { readLinkKeys } from '../../src/contracts/links/link-token.ts'
import { loadSecrets } from '../../src/platform/config/secrets.ts'
import { withLastBitChanged } from '../support/altered-token.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, startHousehold } from '../support/household.ts'
import { connectAnotherPartner, withDatabase } from '../support/partners.ts'
import { advanceClock } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'

const service = await startTestService({ CONTRACT_URL_TTL_SECONDS: '600' })
after(() => service.stop())
const partner = await connectPartner(service.baseUrl, service.credentials)
const { quoteId, tenants } = await startHousehold(partner)
const [lead = '', second = ''] = tenants
for (const tenant of tenants) await onboard(partner, tenant, { firstName: 'Wilhelmina' })

const urlOf = async (customerId: string, format: DocumentFormat, own = partner): Promise<URL> =>
  new URL(succeeded(await own.get(`/Customers/${customerId}/pci-contract-url-${format}`)).contractUrl)
const tokenIn = (url: URL) => url.searchParams.get('token') ?? ''
const withToken = (url: URL, token: string) => new URL(`?token=${encodeURIComponent(token)}`, url)
const bytesOf = async (url: URL) => Buffer.from(await (await fetch(url)).arrayBuffer())
const html = await urlOf(lead, 'html')
const pdf = await urlOf(lead, 'pdf')

/** The text of the page that an invalid link shows. */
async function rejection(url: URL | string): Promise<string> {
  const response = await fetch(url)
  assert.equal(response.status, 403, String(url))
  assert.equal(response.headers.get('content-type'), 'text/html; charset=utf-8')
  return response.text()
}

test('a document has the same bytes at every view and through every link; their hash is stored and sent', async () => {
  for (const [format, column, first] of [
    ['html', 'html_sha256', html],
    ['pdf', 'pdf_sha256', pdf],
  ] as const) {
    const bytes = await bytesOf(first)
    const sha256 = createHash('sha256').update(bytes)
    const [row] = await rawRows(service, `select ${column} as hash from contract_documents where customer_id = $1`, [
      lead,
    ])
    assert.equal(sha256.copy().digest('hex'), row?.hash)
    assert.ok(bytes.equals(await bytesOf(first)))
    assert.ok(bytes.equals(await bytesOf(await urlOf(lead, format))))
    const { headers } = await fetch(first, { method: 'HEAD' })
    assert.equal(headers.get('repr-digest'), `sha-256=:${sha256.digest('base64')}:`)
    assert.equal(headers.get('content-length'), String(bytes.length))
  }
  assert.match((await bytesOf(html)).toString(), /^<!doctype html>/i)
  assert.match((await bytesOf(pdf)).toString('latin1'), /^%PDF-/)
})

test('once the customer has accepted the terms, no later call changes a document', async () => {
  const before = await bytesOf(html)
  rejected(await finalise(partner, lead, { firstName: 'Later' }), 422, 'already_onboarded')
  succeeded(await partner.post(`/Customers/${lead}/accept-terms`))
  rejected(
    await partner.post(`/Quotes/${quoteId}/update-packages`, { packageIds: ['gas-standard'] }),
    422,
    'quote_locked',
  )
  rejected(await partner.post(`/Quotes/${quoteId}/reopen`), 422, 'already_onboarded')
  rejected(await partner.post(`/Quotes/${quoteId}/cancel`), 422, 'already_onboarded')
  assert.ok(before.equals(await bytesOf(await urlOf(lead, 'html'))))
  assert.ok(before.includes('Wilhelmina Morgan'))
})

test('a document names the tenant it is for, and says whether they expressly requested supply within the 14 days', async () => {
  const household = await startHousehold(partner, { tenants: 3 })
  const [asking = '', declining = '', silent = ''] = household.tenants
  await onboard(partner, asking, { firstName: 'Ask', email: 'ask@example.com', supplyDuringCancellation: true })
  await onboard(partner, declining, { supplyDuringCancellation: false })
  await onboard(partner, silent)
  const [first, ...others] = await Promise.all(
    household.tenants.map(async (tenant) => (await bytesOf(await urlOf(tenant, 'html'))).toString()),
  )
  assert.ok(first !== undefined)
  assert.ok(first.includes('Ask Morgan') && first.includes('ask@example.com'))
  assert.match(first, /You have expressly asked us to begin supply before the cancellation period ends/)
  for (const text of others) {
    assert.match(text, /You have not asked us to begin supply before the cancellation period ends/)
    assert.match(text, /you pay nothing for anything supplied/)
    assert.equal(text.includes('Ask Morgan') || text.includes('ask@example.com'), false)
  }
})

test('the headers of a document forbid caching, indexing, framing elsewhere and sending a referrer', async () => {
  for (const [format, url] of [
    ['html', html],
    ['pdf', pdf],
  ] as const) {
    const response = await fetch(url)
    const { headers } = response
    assert.match(
      headers.get('content-disposition') ?? '',
      new RegExp(`^inline; filename="contract-[A-Z0-9-]+\\.${format}"$`),
    )
    assert.equal(headers.get('cache-control'), 'private, no-store')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    assert.equal(headers.get('x-robots-tag'), 'noindex')
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, format === 'html' ? /frame-ancestors 'self'/ : /frame-ancestors 'none'/)
    assert.equal(/script-src|unsafe-eval|https?:/.test(policy), false)
    const [, style = ''] = /<style>(.*)<\/style>/s.exec(await response.text()) ?? []
    const hash = createHash('sha256').update(style).digest('base64')
    assert.equal(policy.includes(`style-src 'sha256-${hash}'`), format === 'html')
  }
})

test('a token altered anywhere opens no document', async () => {
  const token = tokenIn(html)
  const pages = new Set<string>()
  for (let index = 0; index < token.length; index += 7) {
    const other = token[index] === 'x' ? 'y' : 'x'
    pages.add(await rejection(withToken(html, token.slice(0, index) + other + token.slice(index + 1))))
  }
  for (const altered of [
    withLastBitChanged(token),
    token.slice(0, -1),
    `${token}=`,
    `${token}A`,
    `${token}.`,
    ` ${token}`,
  ])
    pages.add(await rejection(withToken(html, altered)))
  assert.equal(pages.size, 1)
})

test('a token forged without the key opens no document', async () => {
  const claims = () => new SignJWT().setSubject(lead).setAudience('html').setExpirationTime('1h')
  const forged = await claims().setProtectedHeader({ alg: 'HS256' }).sign(Buffer.alloc(32))
  await rejection(withToken(html, forged))
  const [, payload = ''] = forged.split('.')
  const none = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
  await rejection(withToken(html, `${none}.${payload}.`))
  await rejection(withToken(html, partner.token))
})

test('a token for a different document, customer or partner opens no document, and every faulty link gets the same page', async () => {
  const stranger = await connectAnotherPartner(service)
  const theirs = await startHousehold(stranger, { tenants: 1 })
  await onboard(stranger, theirs.lead)
  const pages = [
    await rejection(withToken(html, tokenIn(pdf))),
    await rejection(withToken(pdf, tokenIn(html))),
    await rejection(withToken(html, tokenIn(await urlOf(second, 'html')))),
    await rejection(withToken(html, tokenIn(await urlOf(theirs.lead, 'html', stranger)))),
    await rejection(new URL(html.pathname, html)),
    await rejection(`${html.href}&token=${tokenIn(html)}`),
    await rejection(new URL('?token=', html)),
    await rejection(html.href.replace(lead, 'tenant_01h455vb4pex5vsknk084sn02q')),
    await rejection(html.href.replace(lead, 'nobody')),
  ]
  assert.equal(new Set(pages).size, 1)
  assert.equal(/Wilhelmina|Morgan|tenant_|expired|sign/i.test(pages[0] ?? ''), false)
})

test('a link signed with the real key opens nothing if it lasts longer than CONTRACT_URL_TTL_SECONDS', async () => {
  const key = await withDatabase(service, async (db) => {
    const cipher = await composeCipher(db, await loadSecrets(service.environment, 'sandbox', service.config.dataDir))
    const [signing] = await readLinkKeys({ db, cipher, lifetimeSeconds: 60 })
    return signing ?? assert.fail('no link key')
  })
  const { iat: _iat, exp: _exp, ...claims } = decodeJwt(tokenIn(html))
  const forge = (lifetime: string) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(lead)
      .setAudience('html')
      .setExpirationTime(lifetime)
      .sign(key)
  assert.equal((await fetch(withToken(html, await forge('10m')))).status, 200)
  await rejection(withToken(html, await forge('12m')))
  await rejection(withToken(html, await forge('10y')))
})

test("a token that has expired on the partner's sandbox clock opens no document; a new one does", async () => {
  const moving = await connectAnotherPartner(service)
  const household = await startHousehold(moving, { tenants: 1 })
  await onboard(moving, household.lead)
  const url = await urlOf(household.lead, 'html', moving)
  await advanceClock(moving, { seconds: 590 })
  assert.equal((await fetch(url)).status, 200)
  await advanceClock(moving, { seconds: 11 })
  assert.equal(await rejection(url), await rejection(withToken(url, 'nonsense')))
  assert.equal((await fetch(await urlOf(household.lead, 'html', moving))).status, 200)
  assert.equal((await fetch(html)).status, 200, "another partner's clock has not moved")
})

test('a POST to a contract link returns 405', async () => {
  const response = await fetch(html, { method: 'POST' })
  assert.equal(response.status, 405)
  assert.match(response.headers.get('allow') ?? '', /GET/)
})

test('a document whose stored bytes were moved to another customer does not open', async () => {
  await rawRows(
    service,
    `update contract_documents set html_encrypted = (select html_encrypted from contract_documents
     where customer_id = $1) where customer_id = $2`,
    [lead, second],
  )
  const response = await fetch(await urlOf(second, 'html'))
  assert.equal(response.status, 500)
  assert.equal((await response.text()).includes('Wilhelmina'), false)
})

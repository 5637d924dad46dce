import assert from 'node:assert/strict'
import { test } from 'node:test'
import { words as pageWords } from '../../src/pages/words.ts'
import { words } from '../../src/tenant-pages/words.ts'
import { withLastBitChanged } from '../support/altered-token.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { finalise, onboard, startHousehold } from '../support/household.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { advanceClock, createCancelledQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'
import { enterCode, headingOf, noticeOf, openPages, problemsOf, shownCode, TenantBrowser } from './tenant-browser.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)

const linkOf = async (customerId: string, own = partner) =>
  new URL(succeeded(await own.post(`/Customers/${customerId}/onboarding-links`)).url).pathname
const newBrowser = () => new TenantBrowser(service.baseUrl)
/** A browser that has opened the link and pressed its button. */
const withSession = (customerId: string, own = partner) => openPages(service, own, customerId)
const isEnded = ({ text, status }: { text: string; status: number }) => {
  assert.equal(status, 403)
  assert.ok(text.includes(words.ended.title))
}

test('opening a link changes nothing and sets no cookie; its button begins a session at an address without the secret', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const path = await linkOf(tenant)
  const browser = newBrowser()
  for (const _ of [1, 2, 3]) {
    const opened = await browser.open(path)
    assert.equal(opened.status, 200)
    assert.equal(opened.headers.get('set-cookie'), null)
  }
  const state = 'select pages_opened_at, onboarding_revision from customers where customer_id = $1'
  const [before] = await rawRows(service, state, [tenant])
  assert.equal(before?.pages_opened_at, null)
  const begun = await browser.send(words.link.button)
  assert.equal(begun.status, 200)
  assert.equal(begun.path, `/my-bills/${tenant}/welcome`)
  const [opened] = await rawRows(service, state, [tenant])
  assert.ok(opened?.pages_opened_at)
  assert.equal(opened?.onboarding_revision, before?.onboarding_revision)
})

test('pages are private: never stored, framed, indexed or named to other sites, and without inline styles or scripts', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const { headers, text } = await (await withSession(tenant)).open(`/my-bills/${tenant}/details`)
  assert.equal(headers.get('cache-control'), 'private, no-store')
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('x-robots-tag'), 'noindex')
  const policy = headers.get('content-security-policy') ?? ''
  assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/)
  assert.doesNotMatch(policy, /unsafe|script-src/)
  assert.doesNotMatch(text, /<script|<style|\sstyle=|\son\w+=/i)
})

test('the cookie is for this tenant only, out of reach of scripts, and ends with the session', async () => {
  const [one = '', other = ''] = (await startHousehold(partner)).tenants
  const link = await linkOf(one)
  const response = await fetch(new URL(link, service.baseUrl), { method: 'POST', redirect: 'manual' })
  assert.match(
    response.headers.get('set-cookie') ?? '',
    new RegExp(`^housebill-session=[\\w-]{43}; Path=/my-bills/${one}; HttpOnly; SameSite=Lax; Max-Age=43200$`),
  )
  const browser = await withSession(one)
  isEnded(await browser.open(`/my-bills/${other}/welcome`))
  const cookie = browser.cookiesFor(`/my-bills/${one}`)
  const elsewhere = await fetch(new URL(`/my-bills/${other}/welcome`, service.baseUrl), { headers: { cookie } })
  isEnded({ status: elsewhere.status, text: await elsewhere.text() })
  await browser.open(`/my-bills/${one}/welcome`)
  await browser.send(words.signOut)
  assert.equal(browser.cookiesFor(`/my-bills/${one}`), '')
  const kept = await fetch(new URL(`/my-bills/${one}/welcome`, service.baseUrl), { headers: { cookie } })
  isEnded({ status: kept.status, text: await kept.text() })
})

test('altered links, links of other kinds and links of other tenants open nothing', async () => {
  const { tenants } = await startHousehold(partner)
  const [one = '', other = ''] = tenants
  const link = await linkOf(one)
  const token = link.slice(link.lastIndexOf('/') + 1)
  const browser = newBrowser()
  isEnded(await browser.open(`/my-bills/${one}/links/${withLastBitChanged(token)}`))
  isEnded(await browser.open(`/my-bills/${other}/links/${token}`))
  isEnded(await browser.open(`/my-bills/tenant_00000000000000000000000000/links/${token}`))
  for (const tenant of tenants) await onboard(partner, tenant)
  const contract = new URL(succeeded(await partner.get(`/Customers/${one}/pci-contract-url-html`)).contractUrl)
  isEnded(await browser.open(`/my-bills/${one}/links/${contract.searchParams.get('token')}`))
  const document = await fetch(
    new URL(`/contracts/${one}/pre-contract-information.html?token=${token}`, service.baseUrl),
  )
  assert.equal(document.status, 403)
  await document.body?.cancel()
})

/** What ends a tenant's links and sessions. */
const endings: [what: string, how: (tenant: string, quoteId: string) => Promise<unknown>][] = [
  ['a newer link', (tenant) => linkOf(tenant)],
  ['revoking', async (tenant) => succeeded(await partner.post(`/Customers/${tenant}/onboarding-links/revoke`))],
  [
    'a changed e-mail address',
    async (tenant) => succeeded(await partner.patch(`/Customers/${tenant}`, { email: `${tenant}@changed.example` })),
  ],
  [
    'removal',
    async (tenant, quoteId) =>
      succeeded(await partner.post(`/Quotes/${quoteId}/remove-tenants`, { tenantIds: [tenant] })),
  ],
  ['erasure', async (tenant) => succeeded(await partner.post(`/Customers/${tenant}/erase`))],
  ['thirteen hours', () => advanceClock(partner, { seconds: 13 * 3_600 })],
]
for (const [what, how] of endings) {
  test(`${what} ends the session${what === 'thirteen hours' ? ', not the link' : ' and the link'}`, async () => {
    const { quoteId, tenants } = await startHousehold(partner)
    const [, tenant = ''] = tenants
    const link = await linkOf(tenant)
    const browser = newBrowser()
    await browser.open(link)
    assert.equal((await browser.send(words.link.button)).status, 200)
    await how(tenant, quoteId)
    isEnded(await browser.open(`/my-bills/${tenant}/welcome`))
    const again = await browser.open(link)
    if (what === 'thirteen hours') assert.equal(again.status, 200)
    else isEnded(again)
  })
}

test('a form without the token of its session, or from another site, does nothing', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const browser = await withSession(tenant)
  const path = `/my-bills/${tenant}/details`
  const values = {
    firstName: 'Eve',
    lastName: 'Example',
    phone: '07700900123',
    'dateOfBirth-day': '1',
    'dateOfBirth-month': '2',
    'dateOfBirth-year': '1999',
  }
  const { text } = await browser.open(path)
  const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec(text) ?? []
  const other = await withSession((await startHousehold(partner)).tenants[0] ?? '')
  const [, foreign = ''] = /name="formToken" value="([^"]+)"/.exec(other.page?.text ?? '') ?? []
  for (const body of [values, { ...values, formToken: foreign }]) {
    const response = await browser.post(path, body)
    assert.equal(response.status, 403)
    assert.equal(noticeOf(response), pageWords.notices.form_from_before)
    assert.match(response.text, /value="Eve"/, 'what was entered is kept, to be sent again')
  }
  for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://elsewhere.example' }]) {
    const response = await browser.post(path, { ...values, formToken }, headers)
    assert.equal(response.status, 403)
    assert.equal(headingOf(response), pageWords.stale.title)
  }
  assert.equal(succeeded(await partner.get(`/Customers/${tenant}`)).status, 'active')
  assert.equal((await browser.post(path, { ...values, formToken })).status, 200)
  assert.equal(succeeded(await partner.get(`/Customers/${tenant}`)).status, 'PersonalInfoComplete')
})

test('a link alone shows nothing that was given; a code from the e-mail shows it, once on each device', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  succeeded(await finalise(partner, tenant, { firstName: 'Wilhelmina', phone: '07700 900111' }))
  const browser = await withSession(tenant)
  for (const page of ['welcome', 'details', 'payments', 'draft-html', 'agree', 'household', 'home', 'code']) {
    const { text } = await browser.open(`/my-bills/${tenant}/${page}`)
    assert.doesNotMatch(text, /Wilhelmina|900111|Morgan/, page)
  }
  const asked = await browser.open(`/my-bills/${tenant}/details`)
  assert.equal(asked.path, `/my-bills/${tenant}/code?next=details`)
  const shown = await enterCode(browser)
  assert.equal(shown.path, `/my-bills/${tenant}/details`)
  assert.match(shown.text, /value="Wilhelmina"/)
  assert.doesNotMatch(shown.text, /19\d\d-/)

  await browser.open(await linkOf(tenant))
  await browser.send(words.link.button)
  assert.match((await browser.open(`/my-bills/${tenant}/details`)).text, /Wilhelmina/)
  const another = await withSession(tenant)
  assert.doesNotMatch((await another.open(`/my-bills/${tenant}/details`)).text, /Wilhelmina/)

  const needsCode = async () => {
    await browser.open(await linkOf(tenant))
    await browser.send(words.link.button)
    return (await browser.open(`/my-bills/${tenant}/details`)).path.endsWith('/code?next=details')
  }
  await another.send(words.signOut)
  assert.ok(await needsCode(), 'who signs out ends the marks of all browsers')
  await enterCode(browser)
  assert.ok(!(await needsCode()))
  const { email } = succeeded(await partner.get(`/Customers/${tenant}`)).personalDetails
  for (const address of ['wilhelmina@other.example', email])
    succeeded(await partner.patch(`/Customers/${tenant}`, { email: address }))
  assert.ok(await needsCode(), 'another address ends them, and they stay ended')
})

test('a tenant without an address says theirs first and proves it by code; the number that was given is shown only then', async () => {
  const { quoteId, tenants } = await startHousehold(partner)
  const { email: taken } = succeeded(await partner.get(`/Customers/${tenants[0]}`)).personalDetails
  const bare = { name: 'Bo Bare', link: 'returned' as const, phone: '07700 900177' }
  const added = succeeded(await partner.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [bare] }))
  const tenant = added.tenants.at(-1)?.tenantId ?? ''
  const details = async () => succeeded(await partner.get(`/Customers/${tenant}`)).personalDetails
  const link = await linkOf(tenant)
  const browser = newBrowser()
  await browser.open(link)
  assert.equal((await browser.send(words.link.button)).path, `/my-bills/${tenant}/welcome`)
  const asked = await browser.send(words.welcome.button)
  assert.deepEqual([asked.path, headingOf(asked)], [`/my-bills/${tenant}/code?next=details`, words.code.first.title])
  for (const page of ['payments', 'privacy', 'household', 'details']) {
    assert.equal(/code/.test((await browser.open(`/my-bills/${tenant}/${page}`)).path), page !== 'privacy', page)
  }
  await browser.open(asked.path)
  const { send } = words.code.first
  assert.deepEqual(problemsOf(await browser.send(send, { email: 'no address' })), {
    email: words.details.problems['/email'],
  })
  assert.ok(problemsOf(await browser.send(send, { email: 'bo@gmial.com' })).sure)
  // A housemate's address is told only to whom can read its e-mails.
  const code = shownCode(await browser.send(send, { email: taken }))
  assert.deepEqual(problemsOf(await browser.send('Continue', { code })), { email: words.details.problems['/email'] })
  const sent = await browser.send(send, { email: 'bo@bare.example' })
  const right = shownCode(sent)
  const other = right === '000000' ? '000001' : '000000'
  assert.deepEqual(problemsOf(await browser.send('Continue', { code: other })), { code: words.code.wrong })
  const { formToken = '' } = Object.fromEntries(
    [...sent.text.matchAll(/name="(formToken)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )
  const stolen = await browser.post(asked.path, { formToken, do: 'enter', email: 'eve@bare.example', code: right })
  assert.deepEqual([problemsOf(stolen), (await details()).email], [{ code: words.code.wrong }, ''])
  await browser.open(asked.path)
  await browser.send(send, { email: 'bo@bare.example' })
  const first = await browser.send('Continue', { code: shownCode(await browser.send(words.code.again)) })
  assert.deepEqual([first.path, (await details()).email], [`/my-bills/${tenant}/details`, 'bo@bare.example'])
  assert.match(first.text, /name="phone"[^>]*value="\+447700900177"/)
  assert.match((await browser.open(`/my-bills/${tenant}/household`)).text, /Bo/)
  assert.equal((await browser.open(link)).status, 200, 'the first address ends no link')

  const [lead = ''] = tenants
  succeeded(await partner.patch(`/Customers/${lead}`, { phone: '07700 900188' }))
  const unproved = await withSession(lead)
  const { text } = await unproved.open(`/my-bills/${lead}/details`)
  assert.ok(text.includes(words.details.phoneKnown('88')) && !text.includes('900188'))
  const birthday = { 'dateOfBirth-day': '27', 'dateOfBirth-month': '3', 'dateOfBirth-year': '1999' }
  await unproved.send(words.continue, { firstName: 'Zoe', lastName: 'Quill', phone: '', ...birthday })
  assert.equal(succeeded(await partner.get(`/Customers/${lead}`)).personalDetails.phone, '+447700900188')
})

test('a code works for ten minutes, five tries and one session', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const path = `/my-bills/${tenant}/code`
  const browser = await withSession(tenant)
  const wrong = (code: string) => (code === '000000' ? '000001' : '000000')
  await browser.open(path)
  const code = shownCode(await browser.send(words.code.send))
  for (const _ of [1, 2, 3, 4, 5]) {
    const response = await browser.send('Continue', { code: wrong(code) })
    assert.equal(response.status, 422)
    assert.ok(response.text.includes(words.code.wrong))
    if (!response.text.includes('name="code"')) break
  }
  await browser.open(path)
  assert.ok(browser.page?.text.includes(words.code.send), 'after five tries, the code is used up')

  const second = shownCode(await browser.send(words.code.send))
  await browser.open(await linkOf(tenant))
  await browser.open(path)
  assert.equal(browser.page?.status, 403, 'a newer link ends the session, and its code')
  await browser.open(await linkOf(tenant))
  await browser.send(words.link.button)
  await browser.open(path)
  shownCode(await browser.send(words.code.send))
  await advanceClock(partner, { seconds: 11 * 60 })
  await browser.open(path)
  assert.ok(browser.page?.text.includes(words.code.send), 'after ten minutes, the code is over')

  const other = await withSession(tenant)
  await other.open(path)
  shownCode(await other.send(words.code.send))
  assert.equal((await other.send('Continue', { code: second })).status, 422)
})

test('the same link opened again goes on with the browser’s session and the code that was mailed for it; another browser has its own', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const [path, link] = [`/my-bills/${tenant}/code`, await linkOf(tenant)]
  const [browser, another] = [newBrowser(), newBrowser()]
  for (const each of [browser, another]) {
    await each.open(link)
    await each.send(words.link.button)
    await each.open(path)
  }
  const code = shownCode(await browser.send(words.code.send))
  await another.send(words.code.send)
  assert.equal((await another.send('Continue', { code })).status, 422)
  await advanceClock(partner, { seconds: 300 })
  await browser.open(link)
  await browser.send(words.link.button)
  await browser.open(`${path}?next=household`)
  assert.equal((await browser.send('Continue', { code })).path, `/my-bills/${tenant}/household`)
})

test('what was entered in a session that has ended stays in its window, and the next session has it', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const browser = await withSession(tenant)
  await browser.open(`/my-bills/${tenant}/details`)
  await advanceClock(partner, { seconds: 13 * 3_600 })
  const ended = await browser.send(words.continue, { firstName: 'Wilhelmina', phone: '07700 900111' })
  isEnded(ended)
  await browser.open(await linkOf(tenant))
  await browser.send(words.link.button)
  browser.page = ended
  const shown = await browser.send(words.ended.goOn)
  assert.equal(noticeOf(shown), pageWords.notices.form_from_before)
  assert.match(shown.text, /name="firstName"[^>]*value="Wilhelmina"/)
  const elsewhere = await browser.post(
    `/my-bills/${tenant}/details`,
    { firstName: 'Eve' },
    { 'sec-fetch-site': 'cross-site' },
  )
  assert.doesNotMatch(elsewhere.text, /value="Eve"/)
})

test('no address makes a page tell that something has happened', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const browser = await withSession(tenant)
  for (const path of ['/my-bills', `/my-bills/${tenant}/welcome`])
    assert.equal(noticeOf(await browser.open(`${path}?notice=cancelled`)), undefined)
})

test('an e-mail with a code that the mail server refused or has not taken yet is not called sent', async () => {
  const [tenant = ''] = (await startHousehold(partner)).tenants
  const browser = await withSession(tenant)
  await browser.open(`/my-bills/${tenant}/code`)
  await browser.send(words.code.send)
  const shown = async (outcome: string | null) => {
    await rawRows(
      service,
      `update tenant_mails set outcome = $2::text, ended_at = case when $2::text is not null then created_at end,
              next_attempt_at = case when $2::text is null then created_at + interval '1 day' end
        where customer_id = $1 and kind = 'confirmation_code'`,
      [tenant, outcome],
    )
    return (await browser.open(`/my-bills/${tenant}/code`)).text
  }
  assert.match(await shown('sent'), /We have sent six digits/)
  for (const outcome of [null, 'given_up', 'refused'])
    assert.doesNotMatch(await shown(outcome), /We have sent/, `${outcome}`)
})

test('a link’s codes are limited by network and in all, the page says for how long, and a newer link gives new ones', async () => {
  const limited = await startTestService({ RATE_LIMIT_PER_SECOND: '1000', TRUSTED_PROXIES: '127.0.0.1' })
  try {
    const own = await connectPartner(limited.baseUrl, limited.credentials)
    const [tenant = ''] = (await startHousehold(own)).tenants
    const path = `/my-bills/${tenant}/code`
    const browser = new TenantBrowser(limited.baseUrl)
    const begin = async () => {
      await browser.open(await linkOf(tenant, own))
      await browser.send(words.link.button)
      return /name="formToken" value="([^"]+)"/.exec((await browser.open(path)).text)?.[1] ?? ''
    }
    let formToken = await begin()
    const ask = (network: number) =>
      browser.post(path, { formToken, do: 'send' }, { 'x-forwarded-for': `203.0.113.${network}` })
    for (const network of [1, 2, 3, 4]) {
      for (let sent = 0; sent < 5; sent += 1) assert.equal((await ask(network)).status, 200)
      assert.equal((await ask(network)).status, 429)
    }
    const over = await ask(5)
    assert.equal(over.status, 429)
    assert.match(over.headers.get('retry-after') ?? '', /^3[56]\d\d$/)
    assert.match(over.text, /another one in (59|60) minutes/)
    formToken = await begin()
    assert.equal((await ask(1)).status, 200)
  } finally {
    await limited.stop()
  }
})

test('tenants of a suspended partner see whom to contact until they have signed, and keep their pages afterwards', async () => {
  const other = await connectAnotherPartner(service)
  const { tenants } = await startHousehold(other, { tenants: 2 })
  const [one = '', two = ''] = tenants
  await onboard(other, one)
  const [signed, unsigned] = [await withSession(one, other), await withSession(two, other)]
  const [row] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [one])
  await rawRows(service, 'update partners set suspended_at = now() where partner_id = $1', [row?.partner_id])
  assert.equal(headingOf(await unsigned.open(`/my-bills/${two}/welcome`)), words.stopped.title)
  // What they may always read, and do.
  assert.equal(headingOf(await unsigned.open(`/my-bills/${two}/privacy`)), words.privacy.title)
  await unsigned.open(`/my-bills/${two}/welcome`)
  assert.equal(headingOf(await unsigned.send(words.signOut)), words.closed.title)
  await signed.open(`/my-bills/${one}/done`)
  assert.equal(headingOf(await enterCode(signed)), words.done.title)
})

test('a cancelled quote has no links', async () => {
  const { lead } = await createCancelledQuote(partner)
  rejected(await partner.post(`/Customers/${lead}/onboarding-links`), 422, 'quote_cancelled')
})

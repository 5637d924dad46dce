import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { decodeJwt } from 'jose'
import type { Static } from 'typebox'
import type { PersonList } from '../../src/back-office/people/people.route.ts'
import type { RateCardList } from '../../src/back-office/rate-cards/rate-cards.route.ts'
import { agencyPages } from '../../src/partner-pages/agency/agency-pages.ts'
import { operatorAccountId } from '../../src/partners/operators/operator-scopes.ts'
import type { PersonPage } from '../../src/people-pages/person-page.ts'
import { deskPages, workplacePages } from '../../src/people-pages/register-people-pages.ts'
import { housebill } from '../cli/cli-fixture.ts'
import { connectPartner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { readEml } from '../support/eml.ts'
import { startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { cipherOf, connectNewPartner } from '../support/partners.ts'
import { succeeded } from '../support/responses.ts'
import { startTestService } from '../support/service.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import {
  headingOf,
  noticeOf,
  type OpenedPage,
  problemsOf,
  rowsOf,
  TenantBrowser,
  tableOf,
} from '../tenant-pages/tenant-browser.ts'

interface Person {
  personId: string
}
type List = Static<typeof PersonList>

// On this machine, so that sign-in is simulated.
const service = await shareTestService()
const operator = await connectOperator(service)
// Behind a proxy, so that it is not.
const proxied = await startTestService({ TRUSTED_PROXIES: '192.0.2.1' })
after(() => proxied.stop())

const partnerOf = async ({ credentials, ...of }: typeof service) =>
  String(
    (await rawRows(of, 'select partner_id from credentials where client_id = $1', [credentials.clientId]))[0]
      ?.partner_id,
  )
const partnerId = await partnerOf(service)

async function signedIn(who: string, at: 'desk' | 'workplace' = 'desk') {
  const browser = new TenantBrowser(service.baseUrl)
  await browser.open(`/${at}`)
  await browser.send('Sign in', { who })
  return browser
}

const invite = async (on: typeof operator, body: object) =>
  succeeded(await on.post<Person>('/People', { name: 'Ada Lang', roles: ['agent'], ...body })).personId

/** Who may see and do what on the pages of each surface: nothing of another role. */
const expected: Record<'desk' | 'workplace', Record<string, readonly string[]>> = {
  desk: {
    account: ['admin', 'finance', 'rates', 'support'],
    people: ['admin', 'finance', 'rates'],
    'invite-person': ['admin'],
    'change-person': ['admin'],
    'remove-person': ['admin'],
    tasks: ['admin', 'finance', 'support'],
    funnel: ['admin', 'finance', 'rates'],
    'rate-cards': ['admin', 'rates'],
    'publish-rate-card': ['admin', 'rates'],
    'withdraw-rate-card': ['admin', 'rates'],
  },
  workplace: {
    households: ['admin', 'agent', 'reader'],
    household: ['admin', 'agent', 'reader'],
    'household-step': ['admin', 'agent'],
    'tenant-step': ['admin', 'agent'],
    sell: ['admin', 'agent'],
    'sell-broadband': ['admin', 'agent'],
    'sell-quote': ['admin', 'agent'],
    'sell-links': ['admin', 'agent'],
    'sell-list': ['admin', 'agent'],
    list: ['admin', 'agent'],
    'send-list': ['admin', 'agent'],
    figures: ['admin', 'agent', 'reader'],
    settings: ['admin'],
    people: ['admin'],
    'invite-person': ['admin'],
    'change-person': ['admin'],
    'remove-person': ['admin'],
    account: ['admin', 'agent', 'developer', 'reader'],
  },
}
const pagesOf: Record<'desk' | 'workplace', readonly PersonPage<never>[]> = {
  desk: deskPages,
  workplace: [...agencyPages, ...workplacePages],
}
/** What the paths of the pages name. A tenant's step that is sent without what it was made from is refused. */
const partner = await connectPartner(service.baseUrl, service.credentials)
const household = await startHousehold(partner)
const parameters: Readonly<Record<string, string>> = {
  cardId: 'price-cap-2026-q4-gb-average',
  id: household.quoteId,
  importId: succeeded(await partner.post('/Imports', { kind: 'start', draft: '{}' })).importId,
  tenantId: household.lead,
  step: 'drop',
}
const formTokenOf = ({ page }: TenantBrowser) => /name="formToken" value="([^"]+)"/.exec(page?.text ?? '')?.[1] ?? ''

for (const at of ['desk', 'workplace'] as const)
  test(`each role opens its own pages of the ${at} and does what they do, and nothing beyond`, async () => {
    const [given, of, role0] = at === 'desk' ? [{}, '', 'rates'] : [{ partnerId }, ` ${partnerId}`, 'reader']
    assert.deepEqual(
      pagesOf[at].map(({ name }) => name),
      Object.keys(expected[at]),
    )
    for (const role of expected[at].account ?? []) {
      const browser = await signedIn(`${role}${of}`, at)
      assert.equal(headingOf(await browser.open(`/${at}/account`)), `Sam Sample, ${role}`)
      const formToken = formTokenOf(browser)
      const menu = [...(browser.page?.text ?? '').matchAll(new RegExp(`<li><a href="/${at}/([\\w-]*)"`, 'g'))]
      assert.deepEqual(
        menu.map(([, name = '']) => name),
        pagesOf[at].flatMap(({ name, path = name, menu: label }) =>
          label !== undefined && expected[at][name]?.includes(role) ? [path] : [],
        ),
      )
      const address = `${at}-${role}-${process.pid}@bills.example`
      const victim = await invite(operator, { ...given, roles: [role0], email: address })
      const sent = { formToken, name: 'Jo Carter', email: `new-${address}`, roles: role0, branches: 'York, Leeds' }
      for (const { name, path = name, submit } of pagesOf[at]) {
        const named: Readonly<Record<string, string>> = { ...parameters, personId: victim }
        const page = `/${at}/${path.replaceAll(/:(\w+)/g, (_, parameter: string) => named[parameter] ?? '')}`
        const status = expected[at][name]?.includes(role) ? 200 : 403
        const opened = await browser.open(page)
        assert.equal(opened.status, status, `${role} ${page}`)
        if (status === 403) assert.equal(headingOf(opened), 'This page is not for your roles')
        if (submit === undefined || name === '') continue
        const done =
          status === 200 && /-(rate-card|step)$|^(list|figures|settings|sell(-broadband|-quote|-list)?)$/.test(name)
            ? 422
            : status
        assert.equal((await browser.post(page, sent)).status, done, `${role} sends ${page}`)
      }
      const { data } = succeeded(await operator.get<List>(`/People${at === 'desk' ? '' : `?partnerId=${partnerId}`}`))
      const found = data.find(({ personId }) => personId === victim)
      const invited = data.filter(({ email }) => email === `new-${address}`)
      assert.deepEqual(
        [found?.name, found?.branches, found?.state, invited.map(({ roles, branches }) => [...roles, ...branches])],
        role === 'admin'
          ? ['Jo Carter', ['York', 'Leeds'], 'removed', [[role0, 'York', 'Leeds']]]
          : ['Ada Lang', [], 'invited', []],
        role,
      )
    }
  })

test("a partner's admin knows nobody of another partner, gives nothing that they do not have, and invites once", async () => {
  const [other] = await rawRows(service, 'select partner_id from credentials where client_id = $1', [
    String(decodeJwt((await connectNewPartner(service)).token).client_id),
  ])
  const email = `theirs-${process.pid}@acme.example`
  const theirs = await invite(operator, { partnerId: other?.partner_id, email, name: 'Theirs Only' })
  const own = await invite(operator, { partnerId, email, name: 'Own One' })
  const admin = await signedIn(`admin ${partnerId}`, 'workplace')
  await admin.open('/workplace/account')
  const formToken = formTokenOf(admin)
  const list = await admin.open('/workplace/people')
  assert.ok(
    list.text.includes('Own One') && !list.text.includes('Theirs Only') && list.text.includes(operator.clientId),
  )
  const sent = { formToken, name: 'Taken Over', roles: 'reader' }
  for (const action of ['change', 'remove']) {
    for (const id of [theirs, 'person_00000000000000000000000000']) {
      assert.equal((await admin.open(`/workplace/people/${id}/${action}`)).status, 404)
      assert.equal((await admin.post(`/workplace/people/${id}/${action}`, sent)).status, 404)
    }
  }
  const given = await admin.post(`/workplace/people/${own}/change`, { ...sent, scopes: 'psr:read' })
  assert.deepEqual([given.status, Object.keys(problemsOf(given))], [422, ['roles']])
  const rows = () =>
    rawRows(service, `select state, roles, scopes from people where person_id = any($1) order by person_id`, [
      [theirs, own],
    ])
  const untouched = { state: 'invited', roles: ['agent'], scopes: [] }
  assert.deepEqual(await rows(), [untouched, untouched])

  await admin.open('/workplace/people/invite')
  assert.doesNotMatch(admin.page?.text ?? '', /value="psr:read"/)
  const wrong = await admin.send('Invite', { name: '', email: 'nobody', roles: 'reader' })
  assert.deepEqual(Object.keys(problemsOf(wrong)).sort(), ['email', 'name'])
  const taken = await admin.send('Invite', { name: 'Jo Carter', email, roles: 'admin' })
  assert.match(problemsOf(taken).email ?? '', /e-mail address belongs to nobody else/)
  const form = admin.page
  const values = { name: 'Jo Carter', email: `jo-${email}`, roles: ['reader'], branches: 'Leeds' }
  for (let times = 0; times < 2; times += 1) {
    admin.page = form
    assert.match(noticeOf(await admin.send('Invite', values)) ?? '', /They can sign in now/)
  }
  assert.equal(admin.page?.text.split(`jo-${email}`).length, 2)
})

/** Says to a page that 2 MiB come, and sends none of them. Returns the status of the response. */
async function statusBeforeBody(address: string, cookie: string): Promise<number> {
  const sent = request(`${service.baseUrl}${address}`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'multipart/form-data; boundary=x', 'content-length': 2_000_000 },
  })
  sent.flushHeaders()
  const [response] = await once(sent, 'response')
  sent.on('error', () => undefined).destroy()
  return response.statusCode
}

test('a rate card that a file brings is published once it is confirmed; one with faults is shown again with their places', async () => {
  const desk = await signedIn('rates')
  const address = '/desk/rate-cards/new'
  const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec((await desk.open(address)).text) ?? []
  const send = (values: Record<string, string | Blob>) => {
    const body = new FormData()
    for (const [name, value] of Object.entries({ formToken, ...values })) body.append(name, value)
    return desk.post(address, body)
  }
  const file = new URL('../../reference-data/rate-cards/1-price-cap-2026-q3-regional.json', import.meta.url)
  const { publishedFor: _, ...rest } = JSON.parse(await readFile(file, 'utf8'))
  const card = { ...rest, id: `desk-${process.pid}`, name: 'From a <file>', onSaleFrom: '2090-01-01' }
  const chosen = (text: string) => new Blob([text], { type: 'application/json' })
  const wrong = problemsOf(await send({ card: chosen(JSON.stringify({ ...card, packages: [] })) }))
  assert.match(wrong.card ?? '', /\/packages/)
  assert.match(desk.page?.text ?? '', /From a &lt;file&gt;/, 'what the file had is there to be corrected')
  assert.match(problemsOf(await send({ card: '{' })).card ?? '', /not JSON/)
  assert.match(problemsOf(await send({ card: new Blob([Uint8Array.of(0xff)]) })).card ?? '', /not in UTF-8/)
  const tooLarge = await send({ card: 'x'.repeat(2_100_000) })
  assert.deepEqual([tooLarge.status, headingOf(tooLarge)], [413, 'This is too large'])

  // Nobody sends more than any other body has before the service knows who they are.
  for (const browser of [new TenantBrowser(service.baseUrl), await signedIn('finance')])
    assert.equal(await statusBeforeBody(address, browser.cookiesFor('/')), 403)
  const asked = await send({ card: chosen(`${JSON.stringify(card)}${' '.repeat(100_000)}`) })
  assert.deepEqual(problemsOf(asked), {})
  assert.equal(headingOf(asked), 'Publish From a &lt;file&gt;?')
  assert.match(rowsOf(asked)['Sample homes pay a year'] ?? '', /^From £[\d,.]+ (less|more) to £/)
  const listed = async () => succeeded(await operator.get<Static<typeof RateCardList>>('/RateCards')).data
  const isListed = async () => (await listed()).some(({ quotingToolVersionId }) => quotingToolVersionId === card.id)
  assert.equal(await isListed(), false)
  const hidden = ({ text }: OpenedPage, name: string) =>
    (new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '')
      .replaceAll('&quot;', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
  const confirm = (page: OpenedPage) =>
    send({ card: hidden(page, 'card'), figures: hidden(page, 'figures'), confirmed: 'yes' })
  const other = { ...rest, id: `between-${process.pid}`, name: 'Published in between' }
  succeeded(await operator.post('/RateCards', { card: other }))
  assert.match(problemsOf(await confirm(asked)).card ?? '', /is different now/)
  succeeded(await operator.post(`/RateCards/${other.id}/withdraw`))
  // A session that ends while a large file comes.
  const again = await send({ card: hidden(asked, 'card') })
  const kept = desk.cookiesFor('/')
  await rawRows(service, `update person_sessions set signed_in_at = signed_in_at - interval '16 minutes'`, [])
  const late = await confirm(again)
  assert.deepEqual([late.status, headingOf(late), hidden(late, 'confirmed')], [403, 'Sign in again', 'yes'])
  assert.match(late.text, /enctype="multipart\/form-data"/)
  assert.equal(hidden(late, 'card'), hidden(asked, 'card'))
  assert.equal(desk.cookiesFor('/'), kept)
  await rawRows(service, `update person_sessions set signed_in_at = signed_in_at + interval '16 minutes'`, [])
  assert.match(noticeOf(await confirm(again)) ?? '', /is published/)
  assert.equal(await isListed(), true)
  assert.ok(
    tableOf(await desk.open('/desk/rate-cards')).some((row) => row.join(' ').includes(`<code>${card.id}</code>`)),
  )

  const withdrawal = `/desk/rate-cards/${card.id}/withdraw`
  const shown = await desk.open(withdrawal)
  assert.deepEqual(Object.keys(rowsOf(shown)), [
    ...['Default afterwards', 'Open quotes on offer', 'Active quotes nobody signed', 'Households that signed'],
  ])
  const withdraw = (page: OpenedPage, figures = hidden(page, 'figures')) =>
    desk.post(withdrawal, { formToken, figures, stopSigning: 'yes' })
  const wrongDefault = await withdraw(shown, 'another')
  assert.match(problemsOf(wrongDefault).figures ?? wrongDefault.text, /is different now/)
  assert.equal((await listed()).find(({ quotingToolVersionId: id }) => id === card.id)?.state, 'scheduled')
  const withdrawn = await desk.post(withdrawal, { formToken, figures: hidden(wrongDefault, 'figures') })
  assert.match(noticeOf(withdrawn) ?? '', /is withdrawn\.$/)
  const stopping = await desk.open(withdrawal)
  assert.equal(headingOf(stopping), 'Stop signing on From a &lt;file&gt;?')
  assert.equal(hidden(stopping, 'stopSigning'), 'yes')
  assert.match(noticeOf(await withdraw(stopping)) ?? '', /priced anew within minutes/)
  const { state, signingStoppedAt } = (await listed()).find(({ quotingToolVersionId: id }) => id === card.id) ?? {}
  assert.deepEqual([state, signingStoppedAt === null], ['withdrawn', false])
})

test('a session is named in the audit log by the person, is listed, and ends with its button, the removal or a lost role', async () => {
  const email = `sessions-${process.pid}@bills.example`
  const personId = await invite(operator, { email, roles: ['finance', 'support'] })
  const [one, other] = [await signedIn(personId), await signedIn(personId)]
  const [entry] = await rawRows(
    service,
    `select actor, credential, operation from audit_log where subject_id = $1 and subject_type = 'session' limit 1`,
    [personId],
  )
  assert.deepEqual(entry, { actor: 'operator', credential: personId, operation: 'desk sign-in' })
  await one.open('/desk')
  assert.equal(headingOf(await one.send('Sign out there')), 'Ada Lang')
  assert.match(one.page?.text ?? '', /That session has ended/)
  assert.equal(headingOf(await other.open('/desk')), 'Sign in')
  succeeded(await operator.patch(`/People/${personId}`, { name: 'Ada Byron' }))
  assert.equal(headingOf(await one.open('/desk')), 'Ada Byron')
  succeeded(await operator.patch(`/People/${personId}`, { roles: ['finance'] }))
  assert.equal(headingOf(await one.open('/desk')), 'Sign in')
  const again = await signedIn(personId)
  succeeded(await operator.post(`/People/${personId}/remove`))
  assert.equal(headingOf(await again.open('/desk/tasks')), 'Sign in')
  const next = await invite(operator, { email, roles: ['finance'] })
  const twice = await signedIn(next)
  await twice.open('/desk/sign-in')
  await twice.send('Sign in', { who: next })
  assert.doesNotMatch(twice.page?.text ?? '', /Sign out there/, 'a new sign-in ends the session of the browser')
  assert.equal(headingOf(await twice.send('Sign out here')), 'You are signed out')
})

test('sessions end unused after an hour at the desk and twelve at the workplace; what needs a new sign-in asks for one and keeps what was entered', async () => {
  const cipher = await cipherOf(service)
  const move = (browser: TenantBrowser, at: string, column: string, minutes: number) => {
    const [, secret = ''] = new RegExp(`housebill-${at}=([^;]+)`).exec(browser.cookiesFor('/')) ?? []
    return rawRows(
      service,
      `update person_sessions set ${column} = ${column} - make_interval(mins => $1)
        where session_hash = $2 returning 1`,
      [minutes, cipher.hash(`session ${secret}`)],
    )
  }
  const desk = await signedIn('admin')
  const victim = await invite(operator, { roles: ['rates'], email: `victim-${process.pid}@bills.example` })
  assert.equal((await move(desk, 'desk', 'signed_in_at', 16)).length, 1)
  assert.equal(headingOf(await desk.open('/desk/people')), 'People')
  assert.equal(headingOf(await desk.open(`/desk/people/${victim}/remove`)), 'Sign in')
  const asked = await desk.post(`/desk/people/${victim}/remove`, { formToken: 'x', reason: 'typed "before"' })
  assert.deepEqual([asked.status, headingOf(asked)], [403, 'Sign in again'])
  assert.match(asked.text, /name="reason" value="typed &quot;before&quot;"/)
  await move(desk, 'desk', 'last_seen_at', 61)
  const filtered = `/desk/funnel?from=2026-01-01&partnerId=${partnerId}`
  assert.equal(headingOf(await desk.open(filtered)), 'Sign in')
  assert.equal((await desk.send('Sign in', { who: 'admin' })).path, filtered)
  const workplace = await signedIn(`agent ${partnerId}`, 'workplace')
  await move(workplace, 'workplace', 'last_seen_at', 61)
  assert.equal(headingOf(await workplace.open('/workplace/account')), 'Sam Sample, agent')
  await move(workplace, 'workplace', 'expires_at', 721)
  assert.equal(headingOf(await workplace.open('/workplace')), 'Sign in')
})

test('a session of one surface opens nothing of the other, and nobody ends the session of somebody else', async () => {
  const agent = await signedIn(`agent ${partnerId}`, 'workplace')
  assert.equal(headingOf(await agent.open('/desk')), 'Sign in')
  const reader = await signedIn(`reader ${partnerId}`, 'workplace')
  await reader.open('/workplace/account')
  const [, sessionId = ''] = /name="sessionId" value="([^"]+)"/.exec(reader.page?.text ?? '') ?? []
  assert.ok(sessionId)
  await agent.open('/workplace/account')
  const [, formToken = ''] = /name="formToken" value="([^"]+)"/.exec(agent.page?.text ?? '') ?? []
  await agent.post('/workplace/account', { formToken, sessionId })
  assert.equal(headingOf(await reader.open('/workplace/account')), 'Sam Sample, reader')
  const elsewhere = await agent.post('/workplace/account', { formToken, sessionId }, { 'sec-fetch-site': 'cross-site' })
  assert.equal(elsewhere.status, 403)
})

test('sign-in is simulated only under the own name of a sandbox on this machine, without a proxy', async () => {
  assert.match((await new TenantBrowser(service.baseUrl).open('/workplace')).text, /Simulated/)
  assert.doesNotMatch((await new TenantBrowser(proxied.baseUrl).open('/workplace')).text, /Simulated/)
  const other = new TenantBrowser(service.baseUrl.replace('127.0.0.1', 'localhost'))
  assert.doesNotMatch((await other.open('/workplace')).text, /Simulated/)
  await other.post('/desk/sign-in', { who: 'admin' })
  assert.equal(headingOf(await other.open('/desk')), 'Sign in')
  assert.match(other.page?.text ?? '', /not set up at this address/)
})

test('a partner’s person signs in with an e-mailed code once, in the browser that asked, within five tries', async () => {
  const back = await connectOperator(proxied)
  const email = `one-${process.pid}@acme.example`
  const personId = await invite(back, { email, partnerId: await partnerOf(proxied) })
  const browser = new TenantBrowser(proxied.baseUrl)
  const code = await codeFor(browser, email)
  assert.equal(headingOf(await browser.open(`/workplace/sign-in/code?code=${code}`)), 'Enter the code')
  assert.match(browser.page?.text ?? '', new RegExp(`value="${code}"`))
  const stranger = new TenantBrowser(proxied.baseUrl)
  await stranger.open(`/workplace/sign-in/code?code=${code}`)
  assert.equal((await stranger.send('Continue', { code })).status, 422)
  const wrong = code === '000000' ? '000001' : '000000'
  assert.equal((await browser.send('Continue', { code: wrong })).status, 422)
  await browser.send('Continue', { code: `${code.slice(0, 3)} ${code.slice(3)}` })
  assert.equal(headingOf(await browser.open('/workplace/account')), 'Ada Lang')
  assert.equal((await browser.post('/workplace/sign-in/code', { code })).status, 422)
  const [person] = await rawRows(
    proxied,
    'select state, last_seen_at is null as unseen from people where person_id = $1',
    [personId],
  )
  assert.deepEqual(person, { state: 'active', unseen: false })

  const tried = new TenantBrowser(proxied.baseUrl)
  const next = await codeFor(tried, email)
  await Promise.all(
    Array.from({ length: 5 }, () =>
      tried.post('/workplace/sign-in/code', { code: next === '000000' ? '1' : '000000' }),
    ),
  )
  assert.equal((await tried.post('/workplace/sign-in/code', { code: next })).status, 422)
  const late = new TenantBrowser(proxied.baseUrl)
  const expired = await codeFor(late, email)
  await rawRows(proxied, `update pending_sign_ins set expires_at = now() - interval '1 second' returning 1`)
  assert.equal((await late.post('/workplace/sign-in/code', { code: expired })).status, 422)
})

test('in a shared mailbox the reader chooses their name after the code, and the audit log says so; nobody is told which addresses are known', async () => {
  const back = await connectOperator(proxied)
  const of = { email: `branch-${process.pid}@acme.example`, partnerId: await partnerOf(proxied) }
  const [ada, jo] = [await invite(back, of), await invite(back, { ...of, name: 'Jo Carter' })]
  const browser = new TenantBrowser(proxied.baseUrl)
  const code = await codeFor(browser, of.email)
  assert.equal(headingOf(await browser.send('Continue', { code })), 'Who are you?')
  await browser.send('Sign in', { personId: 'person_00000000000000000000000000' })
  assert.equal(headingOf(await browser.open('/workplace')), 'Sign in')
  await browser.open('/workplace/sign-in/name')
  await browser.send('Sign in', { personId: jo })
  assert.equal(headingOf(await browser.open('/workplace/account')), 'Jo Carter')
  assert.equal((await browser.post('/workplace/sign-in/name', { personId: ada })).status, 403)
  const entries = await rawRows(
    proxied,
    `select subject_id, actor, credential from audit_log where subject_type = 'session' and subject_id = any ($1)`,
    [[ada, jo]],
  )
  assert.deepEqual(entries, [{ subject_id: jo, actor: 'client', credential: `${jo} (shared mailbox)` }])
  const unknown = new TenantBrowser(proxied.baseUrl)
  await unknown.open('/workplace')
  const asked = await unknown.send('Send a code', { email: 'nobody@acme.example' })
  assert.deepEqual([asked.status, headingOf(asked)], [200, 'Enter the code'])
  await codeFor(new TenantBrowser(proxied.baseUrl), of.email)
  assert.deepEqual(
    (await mails()).filter(({ to }) => to.includes('nobody@')),
    [],
  )
})

test('a link printed on the server signs in one of the operator’s admins once', async () => {
  const email = `link-${process.pid}@bills.example`
  const admin = await invite(operator, { email, roles: ['admin'] })
  const finance = await invite(operator, { email: `no-${email}`, roles: ['finance'] })
  const print = async (id: string) => housebill(['people', 'sign-in', id, '--json'], service.environment)
  assert.notEqual((await print(finance)).code, 0)
  const { link } = JSON.parse((await print(admin)).stdout) as { link: string }
  const browser = new TenantBrowser(service.baseUrl)
  await browser.open(new URL(link).pathname)
  const scanner = new TenantBrowser(service.baseUrl)
  assert.equal(headingOf(await scanner.open(new URL(link).pathname)), 'Sign in')
  assert.equal(headingOf(await browser.send('Sign in')), 'Ada Lang')
  assert.equal((await scanner.send('Sign in')).status, 403)
  const entries = await rawRows(
    service,
    `select action, operation from audit_log where subject_type = 'sign-in link' and subject_id = $1`,
    [admin],
  )
  assert.deepEqual(entries, [{ action: 'asked', operation: 'people sign-in' }])
  succeeded(await operator.patch(`/People/${admin}`, { name: 'Ada Byron' }))
  const listed = await housebill(
    ['audit', 'list', '--partner', operatorAccountId, '--limit', '500'],
    service.environment,
  )
  assert.match(listed.stdout, new RegExp(`operator Ada Byron ${admin} +desk sign-in +created +session ${admin}`))
})

/** The e-mails that the sandbox has written. */
async function mails(): Promise<{ to: string; subject: string; file: string }[]> {
  const folder = join(proxied.config.dataDir, 'mails')
  const files = (await readdir(folder).catch(() => [])).filter((file) => file.endsWith('.eml'))
  return Promise.all(
    files.map(async (file) => {
      const { headers } = readEml(await readFile(join(folder, file), 'latin1'))
      return { file, to: headers.get('to') ?? '', subject: headers.get('subject') ?? '' }
    }),
  )
}

/** Asks for a code, and reads it in the e-mail that follows. */
async function codeFor(browser: TenantBrowser, email: string): Promise<string> {
  const before = (await mails()).map(({ file }) => file)
  await browser.open('/workplace')
  assert.equal(headingOf(await browser.send('Send a code', { email })), 'Enter the code')
  const mail = await waitFor(
    'the e-mail with the code',
    async () => (await mails()).find(({ file, to }) => !before.includes(file) && to.includes(email)),
    (found) => found !== undefined,
  )
  return /^(\d{6}) is your code$/.exec(mail?.subject ?? '')?.[1] ?? assert.fail('the e-mail has no code')
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeJwt } from 'jose'
import type { Static } from 'typebox'
import type { TaskList } from '../../src/back-office/tasks/list-tasks.route.ts'
import { FormRejected } from '../../src/pages/form.ts'
import { tenantsIn } from '../../src/partner-pages/agency/sell-quote.page.ts'
import { addDays, londonDate } from '../../src/platform/kernel/dates.ts'
import { formatPounds, type Pence } from '../../src/platform/kernel/money.ts'
import { earnAtOnce } from '../back-office/start-commission.ts'
import type { Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { attachCard, finalise, onboard, startHousehold } from '../support/household.ts'
import { connectOperator } from '../support/operator.ts'
import { connectNewPartner } from '../support/partners.ts'
import { createCompletedQuote } from '../support/quote-fixtures.ts'
import { rejected, succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'
import {
  dateFields,
  headingOf,
  noticeOf,
  type OpenedPage,
  openPages,
  problemsOf,
  rowsOf,
  TenantBrowser,
  tableOf,
} from '../tenant-pages/tenant-browser.ts'

const service = await shareTestService()
const partner = await connectNewPartner(service)
const operator = await connectOperator(service)

const partnerIdOf = async ({ token }: Partner) =>
  (await rawRows(service, 'select partner_id from credentials where client_id = $1', [decodeJwt(token).client_id]))[0]
    ?.partner_id

/** One of a partner's people at the workplace. */
async function signedIn(role: string, of: Partner = partner): Promise<TenantBrowser> {
  const browser = new TenantBrowser(service.baseUrl)
  await browser.open('/workplace')
  await browser.send('Sign in', { who: `${role} ${await partnerIdOf(of)}` })
  return browser
}

const textOf = (cell = '') => cell.replaceAll(/<[^>]*>/g, '')
const listed = async (browser: TenantBrowser, query: string) =>
  tableOf(await browser.open(`/workplace/households${query}`)).map((cells) => cells.map(textOf))

test('the list says where each household stands and who is missing, filtered by its address, and its file has the same', async () => {
  const tenants = ['Ben Carter', 'Ada Lang'].map((name) => ({ name, email: `${name.split(' ')[0]}@example.com` }))
  const { quoteId, lead } = await startHousehold(partner, {
    tenants,
    branch: 'York',
    soldBy: 'Kim',
    reference: 'let-1',
  })
  await startHousehold(partner, { tenants: 1, branch: 'Leeds' })
  succeeded(await finalise(partner, lead, { firstName: 'Ben', lastName: 'Carter' }))
  const agent = await signedIn('agent')
  const postcode = succeeded(await partner.get(`/Quotes/${quoteId}`)).address.postCode
  const own = [
    `?postcode=${postcode.replace(' ', '').toLowerCase()}`,
    '?branch=York',
    '?soldBy=Kim',
    '?reference=let-1',
    '?missing=card',
  ]
  for (const query of own) {
    const row = (await listed(agent, query)).find(([, , missing]) => missing === 'Ben Carter and Ada Lang')
    const [, state, missing, emails, , branch, soldBy, reference] = row ?? assert.fail(query)
    assert.match(state ?? '', /^Ada Lang has to give their details; Ben Carter has to add a card; prices hold until \d/)
    assert.deepEqual(
      [missing, emails, branch, soldBy, reference],
      ['Ben Carter and Ada Lang', 'None yet', 'York', 'Kim', 'let-1'],
    )
  }
  assert.deepEqual(await listed(agent, '?missing=agreement'), [])
  assert.deepEqual(await listed(agent, '?postcode=AB1+2'), [])
  const rows = await listed(agent, '?missing=details')
  assert.equal(rows.length, 2)
  const file = await agent.open('/workplace/households?missing=details&format=csv')
  assert.equal(file.headers.get('content-type'), 'text/csv; charset=utf-8')
  const lines = file.text.trim().split(/\r?\n/)
  assert.equal(lines.length, rows.length + 1)
  for (const [index, [address = '', state = '']] of rows.entries())
    for (const cell of [address, state]) assert.ok(lines[index + 1]?.includes(cell), `${cell} in line ${index + 1}`)
  const found = succeeded(await partner.get('/Customers?waitingFor=card')).data
  assert.deepEqual(
    found.map(({ customerId }) => customerId),
    [lead],
  )
  assert.equal(succeeded(await partner.get(`/Customers?postcode=${encodeURIComponent(postcode)}`)).data.length, 3)
  assert.equal(rows.length, (await listed(await signedIn('reader'), '?missing=details')).length)
  assert.deepEqual(await listed(await signedIn('agent', await connectNewPartner(service)), ''), [])
})

test('a tenant gets a new link, is corrected and dropped, and what somebody else changed is shown before it is overwritten', async () => {
  const { quoteId, lead, tenants } = await startHousehold(partner, { tenants: 2 })
  const agent = await signedIn('agent')
  const page = `/workplace/households/${quoteId}`
  await agent.open(`${page}/tenants/${lead}/link`)
  const link = /data-copy>([^<]+)</.exec((await agent.send('Make a new link')).text)?.[1] ?? assert.fail('no link')
  const opened = new TenantBrowser(service.baseUrl)
  assert.equal((await opened.open(new URL(link).pathname)).status, 200)

  await agent.open(`${page}/tenants/${lead}/correct`)
  const other = await signedIn('admin')
  await other.open(`${page}/tenants/${lead}/correct`)
  const entered = { firstName: 'Bea', lastName: 'Carter', email: 'bea@example.com', phone: '' }
  assert.match(noticeOf(await other.send('Save', { ...entered, phone: '07700 900123' })) ?? '', /Saved/)
  const stale = await agent.send('Save', { ...entered, lastName: 'Karter' })
  assert.deepEqual(Object.keys(problemsOf(stale)), ['changed'])
  assert.match(rowsOf(stale)['Tenant 1'] ?? '', /Before: Robin .*Now: Bea Carter, bea@example.com, \+447700900123/s)
  assert.match(stale.text, /value="Karter"/, 'what was typed is kept')
  const wrong = await agent.send('Save', { ...entered, email: 'nobody', phone: '07700 900123' })
  assert.deepEqual(Object.keys(problemsOf(wrong)), ['email'])
  await agent.send('Save', { ...entered, lastName: 'Karter', phone: '+447700900123' })
  const { personalDetails } = succeeded(await partner.get(`/Customers/${lead}`))
  assert.deepEqual([personalDetails.lastName, personalDetails.phone], ['Karter', '+447700900123'])

  await agent.open(`${page}/tenants/${tenants[1]}/drop`)
  assert.match(noticeOf(await agent.send('Take off')) ?? '', /off the household/)
  for (const gone of [`${page}/nothing`, `${page}/tenants/${tenants[1]}/link`, `/workplace/households/quote_none`])
    assert.equal((await agent.open(gone)).status, 404, gone)
})

test('an agent sees contracts by number and state, and neither birth dates, needs, cards, payments nor reasons', async () => {
  const { quoteId, tenants } = await startHousehold(partner, { tenants: 2, addressUid: ordinaryProperty(1).addressUid })
  const agent = await signedIn('agent')
  const page = `/workplace/households/${quoteId}`
  const [first = '', second = ''] = tenants
  await onboard(partner, first)
  assert.match((await agent.open(page)).text, /Take off the household: <span class="hint">Somebody has begun to sign/)
  await agent.open(`${page}/reopen`)
  assert.match(noticeOf(await agent.send('Reopen')) ?? '', /open again/)
  for (const tenant of tenants) await onboard(partner, tenant)
  const { contracts } = succeeded(await partner.get(`/Customers/${first}/contracts`))
  const shown = tableOf(await agent.open(page))
  assert.deepEqual(
    shown.map(([number, , state]) => [number, state]).slice(0, 2),
    contracts.map(({ contractNumber, status }) => [
      contractNumber,
      status === 'in_force' ? 'In force' : 'Never took effect',
    ]),
  )

  const documents = `${page}/tenants/${second}/documents`
  assert.match((await agent.open(documents)).text, /has not opened contracts to its people/)
  const partnerId = await partnerIdOf(partner)
  succeeded(await (await connectOperator(service)).patch(`/Partners/${partnerId}`, { agentDocuments: 'on' }))
  await agent.open(documents)
  const read = /href="([^"]+)" target/.exec((await agent.send('Open')).text)?.[1] ?? assert.fail('no contract')
  assert.match(await (await fetch(read)).text(), /Alex Morgan/)
  const reads = 'select from audit_log where subject_id = $1 and operation = $2 and credential like $3'
  assert.equal((await rawRows(service, reads, [second, 'getPciContractUrlHtml', 'person_%'])).length, 1)

  await agent.open(`${page}/tenants/${second}/notice`)
  const today = succeeded(await partner.get(`/Quotes/${quoteId}`)).createdAt.slice(0, 10)
  const notice = { ...dateFields('sentOn', today), ...dateFields('endDate', '2027-06-30'), comment: 'Moves out' }
  const asked = await agent.send('See what happens', notice)
  assert.deepEqual(problemsOf(asked), {})
  assert.match(headingOf(asked), /^Record the notice of /)
  assert.match(noticeOf(await agent.send('Record it')) ?? '', /is recorded/)
  await agent.open(`${page}/end`)
  const ends = { ...dateFields('lastDay', '2027-05-31'), reason: 'tenancy_ended', evidence: 'tenants_notice' }
  assert.match((await agent.send('See who is asked', ends)).text, /2 tenants are asked by e-mail/)
  assert.match(noticeOf(await agent.send('Ask the tenants')) ?? '', /asked by e-mail/)
  const { text } = await agent.open(page)
  assert.doesNotMatch(text, /1999|visa|4242|PSR|fail|arrear|owe|Moves out|tenancy_ended|notice_received|question/i)
})

test('everything of a household that signed is done on its pages, and what it means is said first', async () => {
  const { quoteId, lead, tenants } = await startHousehold(partner, {
    tenants: 2,
    addressUid: ordinaryProperty(2).addressUid,
  })
  const [, other = ''] = tenants
  for (const tenant of tenants) await onboard(partner, tenant)
  const agent = await signedIn('agent')
  const page = `/workplace/households/${quoteId}`
  const { contractStartDate } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  await agent.open(`${page}/tenants/${other}/replace`)
  const joiner = { name: 'Cy Stone', email: 'cy@example.com', ...dateFields('from', '2027-03-01') }
  assert.match(
    (await agent.send('See what they pay', joiner)).text,
    /Cy Stone pays £[\d.]+ in an average month from 1 March 2027/,
  )
  assert.match(noticeOf(await agent.send('Replace')) ?? '', /can take over/)
  await agent.open(`${page}/tenants/${other}/withdraw`)
  assert.match(noticeOf(await agent.send('Withdraw')) ?? '', /withdrawn/)
  await agent.open(`${page}/occupiers`)
  await agent.send('Save', {
    ...dateFields('date', contractStartDate),
    who: 'landlord',
    nextName: 'Lee Lord',
    nextContact: '',
  })
  await agent.open(`${page}/sale`)
  await agent.send('Save', { branch: 'Hull', soldBy: '' })
  const { branch, moveIn } = succeeded(await partner.get(`/Quotes/${quoteId}`))
  assert.deepEqual([branch, moveIn?.date], ['Hull', contractStartDate])
  await agent.open(`${page}/tenants/${lead}/reading`)
  const reading = await agent.send('Save', {
    service: 'gas',
    register: 'single',
    reading: '12,3',
    ...dateFields('readOn', contractStartDate),
  })
  assert.deepEqual(Object.keys(problemsOf(reading)), ['reading'])
  await agent.open(`${page}/move`)
  const moved = { ...dateFields('contractStartDate', '2027-02-01'), ...dateFields('contractEndDate', '2028-01-31') }
  assert.match((await agent.send('See what changes', moved)).text, /2 contracts end without a fee/)
  assert.match(noticeOf(await agent.send('Move the dates')) ?? '', /sign again/)
  await agent.open(`${page}/drop`)
  await agent.send('Call it off')
  assert.match(agent.page?.text ?? '', /<strong>Called off\.<\/strong>/)
  assert.match((await agent.open(`${page}/move`)).text, /The household was called off/)
})

test('a person sells by hand: home, services, broadband and its day, price, tenants and links; each step is kept', async () => {
  const property = ordinaryProperty(4)
  const agent = await signedIn('agent')
  await agent.open('/workplace/sell')
  for (const [address, why] of [
    ['', /Enter a postcode/],
    ['12 Nowhere Street', /Add the postcode/],
    ['BT1 1AA', /no home/],
  ] as const) {
    const problems = problemsOf(await agent.send('Find the home', { address }))
    assert.match(problems.address ?? '', why)
    await agent.open('/workplace/sell')
  }
  const homes = await agent.send('Find the home', { address: property.postcode.toLowerCase() })
  assert.ok(homes.text.includes(`value="${property.addressUid}"`))
  await agent.open('/workplace/sell')
  const written = `${property.addressLine1}, ${property.postcode}`
  const found = await agent.send('Find the home', { address: written })
  assert.ok(found.text.includes(`value="${property.addressUid}" selected`), 'the one home that is meant is chosen')
  const services = { packages: ['electricity', 'broadband'], tenancy: 'assured_periodic', people: '3' }
  const wrong = { addressUid: '', ...services, packages: [], ...dateFields('contractStartDate', '2027-02-30') }
  const problems = problemsOf(await agent.send('Show the price', wrong))
  assert.deepEqual(Object.keys(problems), ['addressUid', 'packages', 'contractStartDate'])
  assert.match(agent.page?.text ?? '', /value="3" selected/, 'what was entered is kept')
  const start = dateFields('contractStartDate', '2027-02-01')
  const { addressUid } = property
  const sold = await agent.send('Show the price', { addressUid, ...services, ...start })
  assert.equal(headingOf(sold), 'Which broadband?')
  const [, quoteId = ''] = /sell\/(quote_\w+)\/broadband/.exec(sold.path) ?? assert.fail(sold.path)
  const quote = async () => succeeded(await partner.get(`/Quotes/${quoteId}`))
  const { tenancy, soldBy, sendEmails, contractStartDate } = await quote()
  assert.deepEqual([tenancy?.type, sendEmails, contractStartDate], ['assured_periodic', true, '2027-02-01'])
  assert.match(soldBy ?? '', /^person_/)

  assert.deepEqual(Object.keys(problemsOf(await agent.send('Continue'))), ['line'])
  const days = await agent.send('Continue', { line: 'fibre-150' })
  assert.equal(headingOf(days), 'When is broadband installed?')
  const { availableDates } = succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`))
  const price = await agent.send('Continue', { date: availableDates[2] ?? '' })
  assert.equal(succeeded(await partner.get(`/Quotes/${quoteId}/get-bb-install-dates`)).selectedDate, availableDates[2])

  const pounds = (pence: number) => formatPounds(pence as Pence)
  const { shares, ...all } = succeeded(await partner.get(`/Quotes/${quoteId}/estimate?tenants=3`))
  const [share = assert.fail()] = shares
  const rows = rowsOf(price)
  assert.equal(rows['A month'], `${pounds(all.monthlyCost)}: ${pounds(share.monthlyCost)} each for 3 people`)
  assert.equal(
    rows['In all'],
    `${pounds(all.totalCost)}: ${pounds(share.totalCost)} each for 3 people, with set-up of ${pounds(all.setupCost)}`,
  )
  assert.doesNotMatch(price.text, /introducing you/)
  const terms = { firstDay: all.createdAt.slice(0, 10), tiers: [{ amount: 2_000 }] }
  succeeded(await operator.post(`/Partners/${await partnerIdOf(partner)}/commission-terms`, terms))
  const [, message = ''] = /<pre class="message">(.*?)<\/pre>/s.exec((await agent.open(price.path)).text) ?? []
  for (const part of [
    pounds(share.totalCost),
    pounds(all.totalCost),
    'is set-up',
    'Sold by Sample Bills',
    'hold until',
    'introducing you: £20.00. You sign',
  ])
    assert.ok(message.includes(part), part)
  assert.notEqual(rowsOf(await agent.open(`/workplace/sell/${quoteId}?people=5`))['A month'], rows['A month'])

  await agent.open(price.path)
  const permission = 'on the booking form'
  const ahead = dateFields('agreedOn', '2099-01-01')
  const early = await agent.send('Continue', { tenants: 'Ann Lee ann@lee.example', permission, ...ahead })
  assert.deepEqual(problemsOf(early), { agreedOn: 'Check person 1’s day: it cannot be ahead' })
  const bad = await agent.send('Continue', { tenants: 'Ann Lee ann@lee.example\nben@fox', permission })
  assert.deepEqual(problemsOf(bad), { tenants: 'Person 2 has no name' })
  assert.match(bad.text, /Ann Lee ann@lee.example\nben@fox<\/textarea>/)
  const tenants = 'Ann Lee <ann@lee.example>\t07700 900101\nFox, Ben; ben@fox.example'.replace('; ', ', ')
  const links = await agent.send('Continue', { tenants: `${tenants}\nCy Stone +44 7700 900103`, permission })
  assert.equal(headingOf(links), 'Send the links')
  assert.deepEqual(
    (await quote()).tenants.map(({ name, email }) => [name, email]),
    [
      ['Ann Lee', 'ann@lee.example'],
      ['Ben Fox', 'ben@fox.example'],
      ['Cy Stone', ''],
    ],
  )
  const again = await agent.post(`/workplace/sell/${quoteId}`, {
    formToken: /name="formToken" value="([^"]+)"/.exec(links.text)?.[1] ?? '',
    tenants: 'Ann Lee ann@lee.example',
  })
  assert.match(problemsOf(again).tenants ?? '', /Check person 1’s e-mail address/)
  await agent.open(`/workplace/sell/${quoteId}/links`)
  const made = await agent.send('Send and show the links', { complete: 'yes' })
  assert.match(made.text, /We e-mail it to ann@lee.example.*We e-mail it to ben@fox.example.*Send this to them only/s)
  const [first = '', , third = ''] = [...made.text.matchAll(/data-copy>([^<]+)</g)].map(([, url = '']) => url)
  for (const url of [first, third]) {
    const opened = new TenantBrowser(service.baseUrl)
    assert.equal((await opened.open(new URL(url).pathname)).status, 200)
  }
  assert.ok((await agent.open(`/workplace/households/${quoteId}`)).text.includes(`/workplace/sell/${quoteId}"`))
  await agent.open(`/workplace/sell/${quoteId}/broadband?again`)
  await agent.send('Go on without broadband')
  assert.match(agent.page?.text ?? '', />Add broadband</)
  const { householdComplete, tenants: stored } = await quote()
  assert.equal(householdComplete, true)
  const exported = succeeded(await partner.get(`/Customers/${stored[0]?.tenantId}/export`))
  assert.match(exported.contactPermission?.by ?? '', /^on the booking form \(Sam Sample/)
  // Somebody began to sign: the page says so, and takes nobody any more.
  await finalise(partner, stored[0]?.tenantId ?? '')
  succeeded(await partner.post(`/Customers/${stored[0]?.tenantId}/create-setup-intent`))
  assert.match((await agent.open(`/workplace/sell/${quoteId}`)).text, /Somebody is signing, so nothing can be changed/)
})

test('pasted people: a line each or between semicolons, with name, address and number in any place', () => {
  for (const [text, expected] of [
    ['Ann Lee', [{ name: 'Ann Lee' }]],
    ['ann@x.org Ann Lee', [{ name: 'Ann Lee', email: 'ann@x.org' }]],
    [
      '"Lee, Ann" <ann@x.org>; Ben Fox <ben@x.org>;',
      [
        { name: 'Ann Lee', email: 'ann@x.org' },
        { name: 'Ben Fox', email: 'ben@x.org' },
      ],
    ],
    [
      '* Ann\tO’Lee-Smith\t(0113) 496 0101\tann.lee+let@x.co.uk',
      [{ name: 'Ann O’Lee-Smith', email: 'ann.lee+let@x.co.uk', phone: '(0113) 496 0101' }],
    ],
    ['Ann Lee, ann@x.org, +44 7700 900101', [{ name: 'Ann Lee', email: 'ann@x.org', phone: '+44 7700 900101' }]],
    ['Ann Lee,,07700900101', [{ name: 'Ann Lee', phone: '07700900101' }]],
  ] as const)
    assert.deepEqual(tenantsIn(text), expected, text)
  for (const text of [' \n;', 'ann@x.org', 'Ann Lee ann@x@y.org']) assert.throws(() => tenantsIn(text), FormRejected)
})

test("the address of one of the partner's people is no tenant's, and what looks like it, or a card of many, waits for the operator", async () => {
  const seller = await connectNewPartner(service)
  const domain = `agency${process.pid}.example.com`
  const partnerId = await partnerIdOf(seller)
  const email = `Kim@${domain}`
  succeeded(await operator.post('/People', { partnerId, name: 'Kim Lee', email, roles: ['agent'] }))
  const waiting = async (kind: string) =>
    succeeded(await operator.get<Static<typeof TaskList>>(`/Tasks?kind=${kind}&limit=1000`)).data.flatMap((task) =>
      task.partnerId === partnerId ? [task.customerId] : [],
    )
  const { quoteId, lead } = await startHousehold(seller, { tenants: 1 })
  const own = email.toLowerCase()
  const [addressUid, name] = [ordinaryProperty().addressUid, 'Ben Carter']
  const refused = [
    ['/tenants/0/email', await seller.post(`/Quotes/${quoteId}/add-tenants`, { tenants: [{ name, email: own }] })],
    [
      '/tenants/0/email',
      await seller.post('/Households', { addressUid, tenants: [{ name, email: own }], packages: ['gas'] }),
    ],
    ['/email', await seller.patch(`/Customers/${lead}`, { email: own })],
    ['/email', await finalise(seller, lead, { email: own })],
  ] as const
  for (const [pointer, response] of refused)
    assert.equal(rejected(response, 422, 'validation_failed').errors?.[0]?.pointer, pointer)

  succeeded(await seller.patch(`/Customers/${lead}`, { email: `ben@${domain}` }))
  assert.deepEqual(await waiting('email_at_partner'), [lead])
  const mailbox = `ben${process.pid}@gmail.com`
  succeeded(await seller.patch(`/Customers/${lead}`, { email: mailbox }))
  assert.deepEqual(await waiting('email_at_partner'), [])
  await openPages(service, seller, lead, { withCode: true })
  const again = await startHousehold(seller, { tenants: [{ name: 'Eve Other', email: mailbox }] })
  assert.deepEqual(await waiting('email_of_another'), [again.lead])

  const cards = [lead, again.lead]
  for (const index of [1, 2]) {
    const { lead: further } = await startHousehold(seller, {
      tenants: 1,
      addressUid: ordinaryProperty(index).addressUid,
    })
    cards.push(further)
  }
  for (const [index, customer] of cards.entries()) {
    assert.deepEqual(await waiting('card_of_many'), [], `${index} households`)
    succeeded(await finalise(seller, customer))
    await attachCard(seller, customer)
  }
  assert.deepEqual(await waiting('card_of_many'), cards.slice(-1))
})

const services = ['electricity', 'gas']

test('a pasted list is checked, corrected and sent only after it says what it will do; the same list again sends nothing', async () => {
  const own = await connectNewPartner(service)
  const agent = await signedIn('agent', own)
  const homes = [0, 1, 2].map((index) => ordinaryProperty(index))
  const firstDay = addDays(londonDate(new Date()), 40).split('-').reverse().join('/')
  const line = (home: number, name: string, email: string, start = firstDay) =>
    [`${homes[home]?.addressLine1}, ${homes[home]?.city}`, homes[home]?.postcode, name, email, start].join('\t')
  const list = [
    'Address\tPostcode\tTenants\tEmail\tMove in',
    line(0, 'Ada Lang & Ben Okoro', 'ada@list.example; ben@list.example'),
    line(1, 'Cy Ott & Di Wren', 'cy@list.example'),
    line(2, 'Ed Fox', '', 'TBC'),
  ].join('\n')
  const agreed = { from: 'all', how: 'application form', ...dateFields('agreedOn', '2026-01-31') }
  const first = await agent.open('/workplace/sell-list')
  assert.equal(headingOf(first), 'Sell a list')
  const asked = await agent.send('Check the list', { list, services })
  assert.deepEqual(problemsOf(asked).from, 'Say whether they agreed')
  const checked = await agent.send('Check the list', { list, services, ...agreed })
  assert.equal(headingOf(checked), 'Check the list')
  const states = (page: OpenedPage) => tableOf(page).map(([, state]) => /<strong>([^<]+)/.exec(state ?? '')?.[1])
  assert.deepEqual(states(checked), ['Correct this', 'Held back', 'Ready'])
  assert.match(checked.text, /more people than e-mail addresses/)
  const quotes = async () => succeeded(await own.get('/Quotes')).data
  assert.deepEqual(await quotes(), [])
  assert.ok(!/list\.example|Mill/.test(checked.path), 'no address of a page has what was entered')

  const corrected = await agent.send('Save and check again', {
    'cell-1-3': 'cy@list.example, di@list.example',
    ...agreed,
  })
  assert.deepEqual(states(corrected), ['Held back', 'Ready', 'Ready'])
  const confirm = await agent.send('Send 2 invitations', { do: 'send', ...agreed })
  assert.equal(headingOf(confirm), 'Send 2 invitations?')
  assert.match(confirm.text, /We quote 2 households with 4 tenants/)
  assert.match(confirm.text, /We e-mail 4 of the tenants.*application form, 31\/01\/2026/)
  assert.deepEqual(await quotes(), [])
  const begun = await agent.send('Send 2 invitations')
  assert.equal(headingOf(begun), 'The list is being sent')
  succeeded(await own.post('/Sandbox/clock/advance', { seconds: 1 }))
  const results = await agent.open(checked.path)
  assert.equal(headingOf(results), 'What came of the list')
  assert.deepEqual(
    tableOf(results).map(([, result]) => result),
    ['Invited', 'Invited'],
  )
  assert.deepEqual(
    (await quotes()).map(({ sendEmails }) => sendEmails),
    [true, true],
  )
  const left = await agent.open(`${checked.path}?format=csv`)
  assert.match(
    left.text,
    /^\uFEFF?Address,Postcode,Tenants,Email,Move in,Reason\r\n.*Ed Fox.*No first day is known yet/,
  )
  assert.equal(left.text.trim().split('\r\n').length, 2)

  await agent.open('/workplace/sell-list')
  const again = await agent.send('Check the list', { list, services, ...agreed })
  assert.deepEqual(states(again), ['Correct this', 'Held back', 'Sent before'])
  assert.ok(!again.text.includes('Send 1 invitation'))
  const reader = await signedIn('reader', own)
  assert.equal((await reader.open(checked.path)).status, 403)
})

test('a file as a spreadsheet saves it is read, an address that may be several homes is chosen, and tenants who did not agree get links to hand over', async () => {
  const own = await connectNewPartner(service)
  const agent = await signedIn('agent', own)
  const { addressLine1, city, postcode } = ordinaryProperty(3)
  const firstDay = addDays(londonDate(new Date()), 40).split('-').reverse().join('/')
  const misspelt = addressLine1.replace(/([a-z])([a-z])$/, '$2$1').replace(/^\d+/, (number) => `${number}A`)
  const list = `Address,Tenant,Email,Start\n"${misspelt}, ${city}, ${postcode}",Zoë Fox,ed@list.example,${firstDay}`
  const file = new FormData()
  const { text: empty } = await agent.open('/workplace/sell-list')
  file.set('formToken', /name="formToken" value="([^"]+)"/.exec(empty)?.[1] ?? '')
  for (const [name, value] of [
    ['from', 'nobody'],
    ['services', 'electricity'],
  ] as const)
    file.set(name, value)
  file.set('list', new Blob([Buffer.from(list, 'latin1')]), 'list.csv')
  const page = await agent.post('/workplace/sell-list', file)
  assert.match(page.text, /Zoë Fox/)
  await agent.send('Throw the list away')
  assert.equal(headingOf(await agent.open(page.path)), 'There is no list here')
  assert.match((await agent.open('/workplace/sell-list')).text, /Your last lists/)
  await agent.post('/workplace/sell-list', file)
  const [, uid] =
    /<option value="(address_[^"]+|[^"]+)">[^<]*<\/option><\/select>/.exec(page.text) ?? assert.fail(page.text)
  assert.match(page.text, /Choose the home/)
  await agent.send('Save and check again', { 'home-0': String(uid), from: 'nobody' })
  const confirm = await agent.send('Send 1 invitation', { do: 'send', from: 'nobody' })
  assert.match(confirm.text, /We e-mail nobody[\s\S]*You get 1 link to hand over/)
  const begun = await agent.send('Send 1 invitation')
  succeeded(await own.post('/Sandbox/clock/advance', { seconds: 1 }))
  const results = await agent.open(begun.path)
  assert.match(tableOf(results)[0]?.[2] ?? '', /Zoë Fox: <code data-copy>http:\/\/[^<]+\/links\//)
})

test('figures show what was sold and earned, to an agent only their own, and who may asks about a line once', async () => {
  const own = await connectNewPartner(service)
  const [agent, admin, reader] = [
    await signedIn('agent', own),
    await signedIn('admin', own),
    await signedIn('reader', own),
  ]
  const me = `select person_id from people where partner_id = $1 and 'agent' = any(roles)`
  const [person] = await rawRows(service, me, [await partnerIdOf(own)])
  for (const soldBy of [String(person?.person_id), 'Kim']) {
    const { quoteId, lead } = await createCompletedQuote(own)
    succeeded(await own.patch(`/Quotes/${quoteId}`, { branch: 'York', soldBy }))
    const { contract } = succeeded(await own.get(`/Customers/${lead}`))
    await earnAtOnce(service, contract?.contractNumber ?? '')
  }
  const linesOn = ({ text }: OpenedPage) =>
    [...text.matchAll(/<a href="(\?month=[^"]+)">/g)].map(([, path = '']) => path)
  const open = (browser: TenantBrowser, query = '') =>
    browser.open(`/workplace/figures${query.replaceAll('&amp;', '&')}`)
  const [mine, all] = [await open(agent), await open(admin)]
  assert.deepEqual(
    [linesOn(mine).length, rowsOf(mine)['In all'], rowsOf(mine).Paid],
    [1, '£20.00', 'The operator has not said so yet'],
  )
  assert.deepEqual([linesOn(all).length, rowsOf(all)['In all']], [2, '£40.00'])
  assert.deepEqual(
    tableOf(all)
      .map(([stage, count]) => `${stage} ${count}`)
      .slice(2),
    ['Opened 2', 'Signed 2', 'In force 2', 'Ended 0'],
  )
  assert.match(
    mine.text,
    /<svg class="chart" role="img" aria-label="How far the households quoted in the last 13 weeks/,
  )
  assert.equal(linesOn(await open(admin, '?branch=Leeds')).length, 0)

  const [line = ''] = linesOn(mine)
  const others = linesOn(all).find((each) => each !== line) ?? assert.fail()
  assert.equal((await open(agent, others)).status, 404, 'what somebody else sold')
  assert.match((await open(admin, line)).text, /What is wrong with this line/)
  await open(agent, line)
  assert.match(problemsOf(await agent.send('Ask the operator', { text: ' ' })).text ?? '', /Write what is wrong/)
  const long = await agent.send('Ask the operator', { text: 'x'.repeat(501) })
  assert.ok((problemsOf(long).text ?? '') !== '' && long.text.includes('x'.repeat(501)), 'what was typed is kept')
  const asked = await agent.send('Ask the operator', { text: 'Why <£20>?' })
  assert.equal(noticeOf(asked), 'Your query is sent. The answer will be here.')
  assert.match(asked.text, /You asked: Why &lt;£20&gt;\?[\s\S]*ask again once the operator has answered/)
  assert.equal(rowsOf(await open(admin))['Queries without an answer'], '1')
  const readers = linesOn(await open(reader))
  assert.deepEqual(readers, [], 'a reader sold nothing')
  const [sales, lines] = [await open(admin, '?of=sold&format=csv'), await open(admin, '?of=commission&format=csv')]
  assert.match(sales.text, /week,branch,quoted,[\s\S]*,York,2,2,2,2,2,0,2,2\r\n$/)
  assert.equal(lines.text.match(/,earned,/g)?.length, 2)
  assert.match(lines.text, /Why <£20>\?/)
})

test('an admin sets what tenants read as the name of the agency, and reads what the operator sets', async () => {
  const own = await connectNewPartner(service)
  const { lead } = await startHousehold(own)
  const admin = await signedIn('admin', own)
  await admin.open('/workplace/settings')
  const wrong = await admin.send('Save', { senderName: 'www.your-bank.example' })
  assert.ok('senderName' in problemsOf(wrong) && wrong.text.includes('www.your-bank.example'))
  const saved = await admin.send('Save', { senderName: 'Minster Lets' })
  assert.deepEqual([noticeOf(saved), saved.text.includes('value="Minster Lets"')], ['Saved.', true])
  assert.match((await openPages(service, own, lead)).page?.text ?? '', /Minster Lets/)
  const { name, senderName } = succeeded(await own.get('/Settings'))
  assert.deepEqual([rowsOf(saved)['Your name'], senderName], [name, 'Minster Lets'])
  assert.equal(succeeded(await own.patch('/Settings', { senderName: name })).senderName, null)
})

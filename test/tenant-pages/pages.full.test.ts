import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { words as pageWords } from '../../src/pages/words.ts'
import { words } from '../../src/tenant-pages/words.ts'
import { earnAtOnce } from '../back-office/start-commission.ts'
import { connectPartner, type Partner } from '../support/client.ts'
import { rawRows } from '../support/customer-fixtures.ts'
import { leavesOf, readEml } from '../support/eml.ts'
import {
  addTenants,
  attachCard,
  finalise,
  onboard,
  paymentStatus,
  sampleTenants,
  startHousehold,
} from '../support/household.ts'
import { connectAnotherPartner } from '../support/partners.ts'
import { advanceClock, createCompletedQuote, createExpiredQuote, expire, testTime } from '../support/quote-fixtures.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { movableClock, startTestService } from '../support/service.ts'
import { waitFor } from '../support/wait-for.ts'
import { accessibilityFaults } from '../web/pages/accessibility.ts'
import { shareBrowser } from '../web/pages/browser.ts'

const [service, browser] = await Promise.all([startTestService({}, { clock: movableClock(testTime) }), shareBrowser()])
after(() => service.stop())

/** Somebody's browser. What it asks other servers for, and what its pages report, are faults. */
async function openBrowser(options: { javaScriptEnabled?: boolean } = {}) {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const faults: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(`${service.baseUrl}/`)) faults.push(`asks another server: ${request.url()}`)
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  return { page, faults, close: () => context.close() }
}

const linkOf = async (partner: Partner, tenant: string) =>
  succeeded(await partner.post(`/Customers/${tenant}/onboarding-links`)).url

/** Opens a tenant's link and presses its button. */
async function enter(page: Page, url: string): Promise<void> {
  await page.goto(url)
  await press(page, words.link.button)
}

const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true }).first().click()
const follow = (page: Page, name: string | RegExp) => page.getByRole('link', { name, exact: true }).first().click()
const sees = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
const reads = (page: Page, text: string | RegExp) => page.getByText(text).first().waitFor()
const go = (page: Page, tenant: string, name: string) => page.goto(`${service.baseUrl}/my-bills/${tenant}/${name}`)

async function shownCode(page: Page): Promise<string> {
  return /\d{6}/.exec((await page.locator('.notice').textContent()) ?? '')?.[0] ?? assert.fail('no code is shown')
}

async function enterCode(page: Page, button: string = words.code.send): Promise<void> {
  await press(page, button)
  await page.getByLabel(words.code.label).fill(await shownCode(page))
  await press(page, words.continue)
}

async function fillDate(page: Page, [day, month, year]: readonly [string, string, string]): Promise<void> {
  await page.getByLabel('Day', { exact: true }).first().fill(day)
  await page.getByLabel('Month', { exact: true }).first().fill(month)
  await page.getByLabel('Year', { exact: true }).first().fill(year)
}

async function fillDetails(page: Page, firstName: string): Promise<void> {
  await page.getByLabel(words.details.firstName, { exact: true }).fill(firstName)
  await page.getByLabel(words.details.lastName, { exact: true }).fill('Example')
  await page.getByLabel(words.details.phone, { exact: true }).fill('07700 900123')
  await fillDate(page, ['27', '3', '1999'])
}

/** A page in a state: how to get there from the one before, and its heading. */
type Stop = [name: string, heading: string | RegExp, act: (page: Page) => Promise<unknown>]

/** In dark colours only the colours are others. */
const rules = { light: undefined, dark: ['color-contrast'] }

/** What is wrong with how a page looks: at every width, in light and dark colours, and at 200 % zoom. */
async function looksOf(page: Page): Promise<string[]> {
  const faults: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    for (const width of [320, 390, 1280]) {
      await page.setViewportSize({ width, height: 844 })
      for (const fault of await accessibilityFaults(page, rules[colorScheme]))
        faults.push(`${width} px, ${colorScheme}: ${fault}`)
    }
  }
  await page.emulateMedia({ colorScheme: 'light' })
  // Zoom halves the width that a page has.
  for (const width of [320, 390, 1280].flatMap((each) => [each, each / 2])) {
    await page.setViewportSize({ width, height: 844 })
    const tooWide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'))
    if (tooWide > 0) faults.push(`at ${width} px, ${tooWide} px too wide`)
  }
  await page.setViewportSize({ width: 390, height: 844 })
  if (Number(await page.evaluate('document.getAnimations().length')) > 0) faults.push('something moves')
  return faults
}

async function visit(stops: readonly Stop[], own: Awaited<ReturnType<typeof openBrowser>>): Promise<void> {
  const { page, faults } = own
  for (const [name, heading, act] of stops) {
    await act(page)
    await sees(page, heading)
    for (const fault of await looksOf(page)) faults.push(`${name}: ${fault}`)
  }
  await own.close()
  assert.deepEqual(faults, [])
}

test('every page before signing can be used by everybody, in every state', async () => {
  const partner = await connectAnotherPartner(service)
  const household = succeeded(
    await partner.post('/Households', {
      addressUid: ordinaryProperty().addressUid,
      packages: ['electricity', 'gas'],
      contractStartDate: '2026-12-22',
      sendEmails: true,
      tenants: ['Ada Lead', 'Bo Mate', 'Cy Mistaken'].map((name) => ({
        name,
        email: `${name.replaceAll(' ', '.')}@example.com`.toLowerCase(),
        contactPermission: { givenAt: '2026-11-30T12:00:00Z', by: 'Letting Agent' },
      })),
    }),
  )
  const [lead = '', , mistaken = ''] = household.tenants.map(({ customerId }) => customerId)
  const [leadUrl = '', mateUrl = '', mistakenUrl = ''] = household.tenants.map(({ url }) => url)
  const confirm = async (tenant: string, paymentMethod: string) => {
    const { setupIntentId } = succeeded(await partner.post(`/Customers/${tenant}/create-setup-intent`))
    succeeded(await partner.post(`/Sandbox/setup-intents/${setupIntentId}/confirm`, { paymentMethod }))
  }
  const chooseNeeds = async (page: Page) => {
    await page.getByRole('checkbox').first().check()
    await press(page, words.needs.button)
  }
  const own = await openBrowser()
  await visit(
    [
      ['link', words.link.title, (page) => page.goto(leadUrl)],
      ['welcome', words.welcome.title(''), (page) => press(page, words.link.button)],
      ['details', words.details.title, (page) => press(page, words.welcome.button)],
      ['details, wrong', words.details.title, (page) => press(page, words.continue)],
      [
        'extra help',
        words.needs.title,
        async (page) => {
          await fillDetails(page, 'Ada')
          await press(page, words.continue)
        },
      ],
      ['code', words.code.title, (page) => follow(page, words.needs.register)],
      ['code, sent', words.code.title, (page) => press(page, words.code.send)],
      [
        'code, wrong',
        words.code.title,
        async (page) => {
          await page.getByLabel(words.code.label).fill('000000')
          await press(page, words.continue)
        },
      ],
      ['extra help, confirmed', words.needs.title, (page) => enterCode(page, words.code.again)],
      ['extra help, needs', words.needs.chosenTitle, (page) => follow(page, words.needs.register)],
      ['extra help, none chosen', words.needs.chosenTitle, (page) => press(page, words.needs.button)],
      ['extra help, wrong', words.needs.chosenTitle, chooseNeeds],
      [
        'early supply',
        words.earlySupply.title,
        async (page) => {
          await go(page, lead, 'extra-help')
          await press(page, words.needs.skip)
        },
      ],
      ['early supply, wrong', words.earlySupply.title, (page) => press(page, words.continue)],
      [
        'early supply, waits',
        words.earlySupply.waitTitle,
        async (page) => {
          await page.getByLabel(words.earlySupply.wait).check()
          await press(page, words.continue)
        },
      ],
      [
        'payments',
        words.payments.title,
        async (page) => {
          await follow(page, words.earlySupply.chooseAgain)
          await page.getByLabel(/^Begin on/).check()
          await press(page, words.continue)
        },
      ],
      ['household', words.household.title, (page) => follow(page, words.continue)],
      [
        'household, wrong',
        words.household.title,
        async (page) => {
          await page.getByLabel(words.household.permission).check()
          await press(page, words.household.addButton)
        },
      ],
      [
        'household, correct',
        words.household.correctTitle('Bo'),
        async (page) => {
          await follow(page, `${words.household.correct} Bo`)
        },
      ],
      ['household, correct, wrong', words.household.correctTitle('Bo'), (page) => press(page, words.save)],
      ['details, given', words.details.title, (page) => go(page, lead, 'details')],
      [
        'details, given, wrong',
        words.details.title,
        async (page) => {
          await page.getByLabel(words.details.phone, { exact: true }).fill('12')
          await press(page, words.continue)
        },
      ],
      ['welcome, confirmed', words.welcome.title('Ada'), (page) => go(page, lead, 'welcome')],
      ['complaints', words.complaints.title, (page) => go(page, lead, 'complaints')],
      [
        'card of a housemate, waits',
        words.card.title,
        async (page) => {
          await enter(page, mateUrl)
          await press(page, words.welcome.button)
          await fillDetails(page, 'Bo')
          await press(page, words.continue)
          await press(page, words.needs.skip)
          await page.getByLabel(/^Begin on/).check()
          await press(page, words.continue)
          await follow(page, words.continue)
        },
      ],
      [
        'removed meanwhile',
        words.ended.title,
        async (page) => {
          await enter(page, mistakenUrl)
          succeeded(await partner.post(`/Quotes/${household.quoteId}/remove-tenants`, { tenantIds: [mistaken] }))
          await press(page, words.welcome.button)
        },
      ],
      [
        'card',
        words.card.title,
        async (page) => {
          await go(page, lead, 'household')
          await press(page, words.household.everybody)
        },
      ],
      ['household, complete', words.household.title, (page) => go(page, lead, 'household')],
      [
        'card, waiting',
        words.card.title,
        async (page) => {
          succeeded(await partner.post(`/Customers/${lead}/create-setup-intent`))
          await go(page, lead, 'card')
        },
      ],
      [
        'card, declined',
        words.card.title,
        async (page) => {
          await confirm(lead, 'pm_card_chargeDeclined')
          await go(page, lead, 'card')
        },
      ],
      ['household, fixed', words.household.title, (page) => go(page, lead, 'household')],
      ['welcome, fixed', words.welcome.title('Ada'), (page) => go(page, lead, 'welcome')],
      [
        'card, saved',
        words.card.title,
        async (page) => {
          await confirm(lead, 'pm_card_visa')
          await go(page, lead, 'card')
        },
      ],
      ['agree', words.agree.title, (page) => follow(page, words.continue)],
      [
        'agree, changed meanwhile',
        words.agree.title,
        async (page) => {
          succeeded(await partner.patch(`/Customers/${lead}`, { phone: '07700 900456' }))
          succeeded(await partner.patch(`/Customers/${lead}`, { lastName: 'Leader' }))
          await press(page, /^Agree and pay/)
          await reads(page, words.notices.terms_changed)
        },
      ],
      ['done, waits', words.done.title, (page) => press(page, /^Agree and pay/)],
      ['home, waits', words.home.states.agreed.heading, (page) => go(page, lead, 'home')],
      ['withdraw', words.cancel.withdrawTitle, (page) => follow(page, words.cancel.withdrawTitle)],
      ['withdrawn', words.welcome.title('Ada'), (page) => press(page, words.cancel.withdrawButton)],
    ],
    own,
  )
})

test('every page after signing can be used by everybody, in every state', async () => {
  const partner = await connectAnotherPartner(service)
  const { tenants } = await startHousehold(partner, { contractStartDate: '2026-12-22' })
  const [one = '', two = ''] = tenants
  for (const tenant of tenants) await onboard(partner, tenant, { supplyDuringCancellation: true })
  const home = (page: Page) => go(page, one, 'home')
  const reading = async (page: Page) => {
    await page.getByLabel('Electricity', { exact: true }).check()
    await fillDate(page, ['22', '12', '2026'])
    await page.getByLabel(words.readings.reading, { exact: true }).fill('04512')
    await press(page, words.readings.button)
  }
  let joiner = ''
  const own = await openBrowser()
  const url = await linkOf(partner, one)
  await visit(
    [
      [
        'home',
        words.home.states.in_force.heading,
        async (page) => {
          await enter(page, url)
          await enterCode(page)
        },
      ],
      ['done', words.done.title, (page) => go(page, one, 'done')],
      ['cancel', words.cancel.title, (page) => go(page, one, 'cancel')],
      ['card, afterwards', words.card.title, (page) => go(page, one, 'card')],
      ['details, afterwards', words.details.title, (page) => go(page, one, 'details')],
      [
        'details, saved',
        words.home.states.in_force.heading,
        async (page) => {
          await page.getByLabel(words.details.phone, { exact: true }).fill('07700 900789')
          await press(page, words.save)
        },
      ],
      [
        'extra help, told',
        words.needs.title,
        async (page) => {
          await go(page, one, 'extra-help?do=register')
          await page.getByRole('checkbox').nth(3).check()
          await page.getByLabel(words.needs.contactFirstName).fill('Sam')
          await page.getByLabel(words.needs.contactLastName).fill('Carer')
          await page.getByLabel(words.needs.contactRelationship).fill('sister')
          await page.getByLabel(words.needs.contactPhone).fill('07700 900456')
          await page.getByLabel(words.needs.contactAgreed).check()
          await page.getByLabel(/^I agree that/).check()
          await press(page, words.needs.button)
          await go(page, one, 'extra-help')
        },
      ],
      [
        'meter readings',
        words.readings.title,
        async (page) => {
          await advanceClock(partner, { days: 40 })
          await enter(page, await linkOf(partner, one))
          await go(page, one, 'meter-readings')
        },
      ],
      ['meter readings, wrong', words.readings.title, (page) => press(page, words.readings.button)],
      ['meter readings, saved', words.readings.title, reading],
      ['home, under way', words.home.states.in_force.heading, home],
      ['cancel, too late', pageWords.notNow, (page) => go(page, one, 'cancel')],
      ['leave', words.leave.title, (page) => go(page, one, 'leave')],
      [
        'leave, wrong',
        words.leave.title,
        async (page) => {
          await fillDate(page, ['1', '1', '2020'])
          await press(page, words.leave.work)
        },
      ],
      [
        'leave, costs',
        words.leave.confirmTitle('30 April 2027'),
        async (page) => {
          await page.getByLabel(words.leave.reasons.other).check()
          await fillDate(page, ['30', '4', '2027'])
          await press(page, words.leave.work)
        },
      ],
      ['leave, done', words.home.states.in_force.heading, (page) => press(page, words.leave.button)],
      ['keep', words.keep.title, (page) => go(page, one, 'keep')],
      ['keep, done', words.home.states.in_force.heading, (page) => press(page, words.keep.button)],
      [
        'leave, tenancy ends',
        words.leave.confirmTitle('25 January 2027'),
        async (page) => {
          await go(page, one, 'leave')
          await page.getByLabel(words.leave.reasons.tenancy_ended).check()
          await fillDate(page, ['25', '1', '2027'])
          await press(page, words.leave.work)
        },
      ],
      [
        'moving out',
        words.movingOut.title,
        async (page) => {
          await press(page, words.leave.button)
          await go(page, one, 'moving-out')
        },
      ],
      [
        'tenancy end',
        words.tenancyEnd.title,
        async (page) => {
          await go(page, one, 'keep')
          await press(page, words.keep.button)
          await go(page, one, 'tenancy-end')
        },
      ],
      ['death', words.death.title, (page) => go(page, one, 'death')],
      ['death, wrong', words.death.title, (page) => press(page, words.death.button)],
      ['hand over', words.handOver.title, (page) => go(page, one, 'hand-over')],
      ['hand over, wrong', words.handOver.title, (page) => press(page, words.handOver.work)],
      [
        'hand over, costs',
        words.handOver.confirmTitle('Dee Joiner'),
        async (page) => {
          await page.getByLabel(words.handOver.name).fill('Dee Joiner')
          await page.getByLabel(words.handOver.email).fill('dee.joiner@example.com')
          await fillDate(page, ['1', '3', '2027'])
          await page.getByLabel(words.handOver.permission).check()
          await press(page, words.handOver.work)
        },
      ],
      ['hand over, sent', words.handOver.progressTitle, (page) => press(page, words.handOver.button)],
      [
        'welcome of the new housemate',
        words.welcome.title(''),
        async (page) => {
          const { quoteId } = succeeded(await partner.get(`/Customers/${one}`)) as unknown as { quoteId: string }
          const quote = succeeded(await partner.get(`/Quotes/${quoteId}`))
          joiner = quote.tenants.find(({ replaces }) => replaces === one)?.tenantId ?? ''
          await enter(page, await linkOf(partner, joiner))
        },
      ],
      ['home, handed over', words.home.states.in_force.heading, home],
      [
        'home, notice given',
        words.home.states.in_force.heading,
        async (page) => {
          await go(page, one, 'hand-over')
          await press(page, words.handOver.withdraw)
          await go(page, one, 'leave?on=2027-04-30&why=other')
          await press(page, words.leave.button)
        },
      ],
      [
        'home of the housemate',
        words.home.states.in_force.heading,
        async (page) => {
          await enter(page, await linkOf(partner, two))
          await enterCode(page)
        },
      ],
    ],
    own,
  )
})

test('pages that say why something cannot be done can be used by everybody', async () => {
  const partner = await connectAnotherPartner(service)
  const [cancelled, expired, stopped, other] = await Promise.all([
    startHousehold(partner),
    createExpiredQuote(partner),
    connectAnotherPartner(service),
    startHousehold(partner, { packages: [] }),
  ])
  const none = other.lead
  const cancelledUrl = await linkOf(partner, cancelled.lead)
  succeeded(await partner.post(`/Quotes/${cancelled.quoteId}/cancel`))
  const ofStopped = await startHousehold(stopped)
  const own = await openBrowser()
  const permanent = `${service.baseUrl}/my-bills`
  const invited = succeeded(
    await partner.post('/Households', {
      addressUid: ordinaryProperty().addressUid,
      packages: ['gas'],
      sendEmails: true,
      tenants: [
        {
          name: 'Ada Lead',
          email: 'ada.lead@example.com',
          contactPermission: { givenAt: '2026-11-30T12:00:00Z', by: 'Letting Agent' },
        },
      ],
    }),
  )
  // Sends what is due.
  await advanceClock(partner, { seconds: 60 })
  const { emails } = succeeded(await partner.get(`/Customers/${invited.tenants[0]?.customerId}/emails`))
  const mail = await readFile(join(service.config.dataDir, 'mails', `${emails[0]?.emailId}.eml`), 'latin1')
  const notMe =
    /http\S+not-me\S+/.exec(leavesOf(readEml(mail))[0]?.text ?? '')?.[0] ?? assert.fail('the e-mail has no link')
  await visit(
    [
      ['new link', words.newLink.title, (page) => page.goto(permanent)],
      ['new link, wrong', words.newLink.title, (page) => press(page, words.newLink.button)],
      [
        'new link, sent',
        words.newLink.sentTitle,
        async (page) => {
          await page.getByLabel(words.newLink.email).fill('nobody@example.com')
          await press(page, words.newLink.button)
        },
      ],
      ['not me', words.notMe.title, (page) => page.goto(notMe)],
      ['not me, refused', words.notMe.refusedTitle, (page) => press(page, words.notMe.refuse)],
      ['ended', words.ended.title, (page) => go(page, none, 'welcome')],
      [
        'cancelled',
        words.cancelled.title,
        async (page) => {
          await enter(page, cancelledUrl)
        },
      ],
      ['no services', words.welcome.title(''), async (page) => enter(page, await linkOf(partner, none))],
      ['prices expired', words.welcome.expiredTitle, async (page) => enter(page, await linkOf(partner, expired.lead))],
      ['prices renewed', words.welcome.title(''), (page) => press(page, words.welcome.renew)],
      [
        'form from before',
        words.welcome.title(''),
        async (page) => {
          await page.locator('main form [name="formToken"]').evaluate((field) => field.setAttribute('value', 'old'))
          await press(page, words.welcome.button)
          await reads(page, pageWords.notices.form_from_before)
        },
      ],
      [
        'stale',
        pageWords.stale.title,
        async (page) => {
          // A form of another site.
          await page.goto('about:blank')
          await page.setContent(`<form method="post" action="${permanent}"><button>Send</button></form>`)
          await press(page, 'Send')
        },
      ],
      [
        'stopped',
        words.stopped.title,
        async (page) => {
          await enter(page, await linkOf(stopped, ofStopped.lead))
          const [row] = await rawRows(service, 'select partner_id from customers where customer_id = $1', [
            ofStopped.lead,
          ])
          await rawRows(service, 'update partners set suspended_at = now() where partner_id = $1', [row?.partner_id])
          await page.reload()
        },
      ],
    ],
    own,
  )
})

/** Moves the focus to something by the Tab key alone, and checks that the reader sees where it is. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  for (let presses = 0; presses < 60; presses += 1) {
    await page.keyboard.press('Tab')
    if (!(await target.evaluate((element) => element.matches(':focus')))) continue
    const ring = 'getComputedStyle(document.activeElement).outline'
    assert.doesNotMatch(String(await page.evaluate(ring)), /none|\b0px/, `${target}: the focus cannot be seen`)
    return
  }
  assert.fail(`Tab does not reach ${target}`)
}

test('an agent sells by hand on a phone: each page can be used by everybody, and the whole takes six forms', async () => {
  const own = await openBrowser()
  await own.page.goto(`${service.baseUrl}/workplace`)
  await own.page.getByLabel('Sam Sample: agent').first().check()
  await press(own.page, 'Sign in')
  const { addressLine1, postcode } = ordinaryProperty(12)
  let forms = 0
  own.page.on('request', (request) => {
    forms += request.method() === 'POST' ? 1 : 0
  })
  const stops: Stop[] = [
    ['sell', 'Sell to a household', (page) => follow(page, 'Sell')],
    [
      'services',
      'Home and services',
      async (page) => {
        await page.getByLabel('Postcode or address').fill(`${addressLine1}, ${postcode}`)
        await press(page, 'Find the home')
      },
    ],
    ['broadband', 'Which broadband?', (page) => press(page, 'Show the price')],
    [
      'install day',
      'When is broadband installed?',
      async (page) => {
        await page.getByRole('radio').first().check()
        await press(page, 'Continue')
      },
    ],
    ['price', 'What it costs', (page) => press(page, 'Continue')],
    [
      'wrong people',
      'What it costs',
      async (page) => {
        await page.getByLabel('Who are they?').fill('ann@example.com')
        await press(page, 'Continue')
        forms -= 1
      },
    ],
    [
      'confirmation',
      'Send the links',
      async (page) => {
        await page.getByLabel('Who are they?').fill('Ann Lee ann@example.com\nBen Fox 07700 900102')
        await page.getByLabel('How did they agree').fill('on the booking form')
        await press(page, 'Continue')
      },
    ],
    ['price with people', 'What it costs', (page) => follow(page, 'Back')],
    [
      'links',
      'The links',
      async (page) => {
        await follow(page, 'Go on to the links')
        await press(page, 'Send and show the links')
      },
    ],
  ]
  await visit(stops, own)
  assert.equal(forms, 6)
})

test('an agency reads its figures and asks about a line: each page can be used by everybody', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const { lead } = await createCompletedQuote(partner)
  const { contract } = succeeded(await partner.get(`/Customers/${lead}`))
  await earnAtOnce(service, contract?.contractNumber ?? '', movableClock(testTime))
  const [row] = await rawRows(service, 'select partner_id from contracts where customer_id = $1', [lead])
  const own = await openBrowser()
  await own.page.goto(`${service.baseUrl}/workplace`)
  await own.page.locator(`input[value="admin ${row?.partner_id}"]`).check()
  await press(own.page, 'Sign in')
  const ask = (text: string) => async (page: Page) => {
    await page.getByLabel('What is wrong').fill(text)
    await press(page, 'Ask the operator')
  }
  const title = `Contract ${contract?.contractNumber}`
  await visit(
    [
      ['figures', 'Figures', (page) => follow(page, 'Figures')],
      ['line', title, (page) => follow(page, contract?.contractNumber ?? '')],
      ['line, wrong', title, ask('')],
      ['line, asked', title, ask('Why £20?')],
      ['settings', 'Settings', (page) => follow(page, 'Settings')],
    ],
    own,
  )
})

test('a tenant signs with the keyboard alone, and the summary of errors leads to the fields', async () => {
  const partner = await connectAnotherPartner(service)
  const { tenants } = await startHousehold(partner, { tenants: 1, contractStartDate: '2026-12-22' })
  const [tenant = ''] = tenants
  const own = await openBrowser()
  const { page } = own
  const key = async (
    role: 'button' | 'link' | 'radio',
    name: string | RegExp,
    pressed: 'Enter' | 'Space' = 'Enter',
  ) => {
    await tabTo(page, page.getByRole(role, { name }).first())
    await page.keyboard.press(pressed)
  }
  const type = async (label: string, text: string) => {
    await tabTo(page, page.getByLabel(label, { exact: true }).first())
    await page.keyboard.type(text)
  }
  await page.goto(await linkOf(partner, tenant))
  await key('button', words.link.button)
  await sees(page, words.welcome.title(''))
  await key('button', words.welcome.button, 'Space')
  await sees(page, words.details.title)
  await key('button', words.continue)
  await page.locator('.summary:focus').waitFor()
  assert.match(await page.title(), new RegExp(`^${pageWords.errorPrefix}`))
  await key('link', words.details.problems['/lastName'])
  await page.locator('#lastName:focus').waitFor()
  await page.keyboard.type('Example')
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.type('Ada')
  await type(words.details.phone, '07700 900123')
  await type('Day', '27')
  await type('Month', '3')
  await type('Year', '1999')
  await key('button', words.continue)
  await sees(page, words.needs.title)
  await key('button', words.needs.skip)
  await sees(page, words.earlySupply.title)
  await key('radio', /^Begin on/, 'Space')
  await key('button', words.continue)
  await sees(page, words.payments.title)
  await key('link', words.continue)
  await sees(page, words.code.title)
  await key('button', words.code.send)
  await page.getByLabel(words.code.label).waitFor()
  await type(words.code.label, await shownCode(page))
  await page.keyboard.press('Enter')
  await sees(page, words.household.title)
  await key('button', words.household.onlyMe)
  await sees(page, words.card.title)
  await key('button', words.card.button)
  await page.getByRole('heading', { name: 'Add your card' }).waitFor()
  await type('Card number', '4242424242424242')
  await type('Expires MM / YY', '12 / 30')
  await type('Security code', '123')
  await page.keyboard.press('Enter')
  await waitFor(
    'the card',
    () => paymentStatus(partner, tenant),
    (status) => status === 'ready',
  )
  await key('link', /^Go back to/)
  await reads(page, 'ending 4242')
  await key('link', words.continue)
  await sees(page, words.agree.title)
  await key('button', /^Agree and pay/)
  await sees(page, words.done.title)
  await key('link', pageWords.skipToContent)
  await page.locator('main:focus').waitFor()
  await own.close()
  assert.deepEqual(own.faults, [])
})

test('without JavaScript a tenant comes as far as the card', async () => {
  const partner = await connectAnotherPartner(service)
  const { quoteId, lead } = await startHousehold(partner, { tenants: 1 })
  succeeded(await partner.patch(`/Quotes/${quoteId}`, { householdComplete: true }))
  const own = await openBrowser({ javaScriptEnabled: false })
  const { page } = own
  await enter(page, await linkOf(partner, lead))
  await sees(page, words.welcome.title(''))
  await press(page, words.welcome.button)
  await fillDetails(page, 'Ada')
  await press(page, words.continue)
  await press(page, words.needs.skip)
  await sees(page, words.payments.title)
  await follow(page, words.continue)
  await sees(page, words.card.title)
  await page.getByRole('button', { name: words.card.button }).waitFor()
  await own.close()
  assert.deepEqual(own.faults, [])
})

interface Meanwhile {
  partner: Partner
  page: Page
  quoteId: string
  lead: string
  mate: string
}

/** Opens a page for which a code is needed. */
async function enterWithCode(page: Page, partner: Partner, tenant: string, name: string): Promise<void> {
  await enter(page, await linkOf(partner, tenant))
  await go(page, tenant, name)
  await enterCode(page)
}

const contractsOf = async (partner: Partner, tenant: string) =>
  succeeded(await partner.get(`/Customers/${tenant}/contracts`)).contracts

/** What happens while a tenant has a page open, and what they read then. The lead tenant is ready to agree. */
const happenings: [
  what: string,
  heading: string | RegExp,
  text: string | RegExp,
  act: (about: Meanwhile) => Promise<unknown>,
][] = [
  [
    'the page is loaded again',
    words.done.title,
    'Still to sign',
    async ({ partner, page, lead }) => {
      await press(page, /^Agree and pay/)
      await sees(page, words.done.title)
      await page.reload()
      assert.equal((await contractsOf(partner, lead)).length, 1)
    },
  ],
  [
    'the tenant goes back after agreeing',
    words.done.title,
    'Still to sign',
    async ({ partner, page, lead }) => {
      await press(page, /^Agree and pay/)
      await sees(page, words.done.title)
      await page.goBack()
      assert.equal((await contractsOf(partner, lead)).length, 1)
    },
  ],
  [
    'they agree in two tabs at once',
    words.done.title,
    'Still to sign',
    async ({ partner, page, lead }) => {
      const other = await page.context().newPage()
      await go(other, lead, 'agree')
      await Promise.all([press(page, /^Agree and pay/), press(other, /^Agree and pay/)])
      await sees(other, words.done.title)
      await sees(page, words.done.title)
      assert.equal((await contractsOf(partner, lead)).length, 1)
    },
  ],
  [
    'the prices expire',
    words.welcome.title(''),
    'Today’s price is what it was',
    async ({ partner, page }) => {
      const { lead, quoteId } = await startHousehold(partner)
      succeeded(await finalise(partner, lead))
      succeeded(await partner.patch(`/Quotes/${quoteId}`, { householdComplete: true }))
      await enter(page, await linkOf(partner, lead))
      await go(page, lead, 'card')
      await expire(partner, quoteId)
      await press(page, words.card.button)
      await sees(page, words.welcome.expiredTitle)
      await reads(page, words.notices.quote_expired)
      await press(page, words.welcome.renew)
    },
  ],
  [
    'the quote is cancelled',
    words.cancelled.title,
    words.cancelled.text,
    async ({ partner, page, quoteId }) => {
      succeeded(await partner.post(`/Quotes/${quoteId}/cancel`))
      await press(page, /^Agree and pay/)
    },
  ],
  [
    'the quote is opened again for a housemate',
    words.household.title,
    words.household.question,
    async ({ partner, page, quoteId }) => {
      succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
      await addTenants(partner, quoteId, sampleTenants(1, 3))
      await press(page, /^Agree and pay/)
    },
  ],
  [
    'the lock ends',
    words.welcome.expiredTitle,
    words.home.states.lapsed.sentence(),
    async ({ partner, page, lead }) => {
      await press(page, /^Agree and pay/)
      await sees(page, words.done.title)
      await advanceClock(partner, { days: 15 })
      await enter(page, await linkOf(partner, lead))
    },
  ],
  [
    'the quote is opened again after the tenant signed',
    words.household.title,
    words.home.states.superseded.sentence(),
    async ({ partner, page, quoteId }) => {
      await press(page, /^Agree and pay/)
      await sees(page, words.done.title)
      succeeded(await partner.post(`/Quotes/${quoteId}/reopen`))
      await page.reload()
    },
  ],
  [
    'the link expires',
    words.ended.title,
    words.ended.again,
    async ({ partner, page, mate }) => {
      const url = await linkOf(partner, mate)
      await advanceClock(partner, { days: 31 })
      await page.goto(url)
    },
  ],
]

test('whatever happens while a page is open, the tenant reads it and what to do, and nothing is done twice', async (t) => {
  const partner = await connectAnotherPartner(service)
  for (const [what, heading, text, act] of happenings) {
    await t.test(what, async () => {
      const { quoteId, lead, tenants } = await startHousehold(partner)
      const [, mate = ''] = tenants
      succeeded(await finalise(partner, lead))
      await attachCard(partner, lead)
      const own = await openBrowser()
      await enterWithCode(own.page, partner, lead, 'agree')
      await act({ partner, page: own.page, quoteId, lead, mate })
      await sees(own.page, heading)
      await reads(own.page, text)
      await own.close()
      assert.deepEqual(own.faults, [])
    })
  }
})

test('an agent looks after households on a phone: the list, one household, and what can be done for it', async () => {
  const partner = await connectPartner(service.baseUrl, service.credentials)
  const start = { contractStartDate: '2027-01-20' }
  const property = (index: number) => ({ addressUid: ordinaryProperty(index).addressUid })
  const waiting = await startHousehold(partner, {
    ...start,
    ...property(20),
    tenants: 2,
    branch: 'York',
    soldBy: 'Kim',
  })
  const signed = await startHousehold(partner, { ...start, ...property(21), tenants: 2 })
  for (const tenant of signed.tenants) await onboard(partner, tenant)
  const own = await openBrowser({ javaScriptEnabled: true })
  const { page } = own
  const at = (path: string) => () => page.goto(`${service.baseUrl}/workplace/households${path}`)
  await page.goto(`${service.baseUrl}/workplace`)
  await page.getByLabel('Sam Sample: agent').first().check()
  await press(page, 'Sign in')
  const [open, inForce] = [`/${waiting.quoteId}`, `/${signed.quoteId}`]
  const leader = `${inForce}/tenants/${signed.lead}`
  const filter = async () => {
    await page.getByLabel('Branch').fill('York')
    await press(page, pageWords.filter.button)
  }
  const newLink = async () => {
    await at(`${open}/tenants/${waiting.lead}/link`)()
    await press(page, 'Make a new link')
    await page.getByRole('button', { name: 'Copy' }).waitFor()
  }
  const stale = async () => {
    await at(`${open}/sale`)()
    succeeded(await partner.patch(`/Quotes/${waiting.quoteId}`, { branch: 'Hull' }))
    await page.getByLabel('Sold by').fill('Lee')
    await press(page, 'Save')
    await page.locator('.summary:focus').waitFor()
  }
  const move = async () => {
    await at(`${inForce}/move`)()
    await fillDate(page, ['1', '2', '2027'])
    await press(page, 'See what changes')
  }
  const steps = ['end', 'occupiers', 'drop'].map((step): Stop => [step, /./, at(`${inForce}/${step}`)])
  const help = ['correct', 'replace', 'notice', 'reading'].map((step): Stop => [step, /./, at(`${leader}/${step}`)])
  await visit(
    [
      ['households', 'Households', (opened) => follow(opened, 'Households')],
      ['filtered', 'Households', filter],
      ['household', /./, at(open)],
      ['signed household', /./, at(inForce)],
      ['link', /The link of/, newLink],
      ['stale', 'Change the branch or who sold it', stale],
      ['move', 'Move the dates?', move],
      ...steps,
      ...help,
    ],
    own,
  )
})

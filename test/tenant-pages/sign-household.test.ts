import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Page } from 'playwright-core'
import { words } from '../../src/tenant-pages/words.ts'
import { connectPartner } from '../support/client.ts'
import { paymentStatus, sampleTenants } from '../support/household.ts'
import { succeeded } from '../support/responses.ts'
import { ordinaryProperty } from '../support/sample-properties.ts'
import { shareTestService } from '../support/shared-service.ts'
import { waitFor } from '../support/wait-for.ts'
import { accessibilityFaults } from '../web/pages/accessibility.ts'
import { shareBrowser } from '../web/pages/browser.ts'

const service = await shareTestService()
const partner = await connectPartner(service.baseUrl, service.credentials)
const browser = await shareBrowser()

/** The most pages, and fields and taps together, from the link to the signed contract (issue of the tenants' pages). */
const most = { pages: 11, fieldsAndTaps: 28 }

/** A tenant on a phone, who counts what they open, fill in and tap. */
class Phone {
  readonly page: Page
  fieldsAndTaps = 0
  readonly #pages = new Set<string>()

  constructor(page: Page) {
    this.page = page
    page.on('framenavigated', (frame) => {
      if (frame === page.mainFrame()) this.#pages.add(new URL(page.url()).pathname.replace(/\/links\/.*/, '/links'))
    })
  }

  get pages(): number {
    return this.#pages.size
  }

  async fill(label: string, text: string): Promise<void> {
    this.fieldsAndTaps += 1
    // Of several dates, the first: the others need no answer.
    await this.page.getByLabel(label, { exact: true }).first().fill(text)
  }

  async tap(name: string | RegExp, role: 'button' | 'link' | 'radio' = 'button'): Promise<void> {
    this.fieldsAndTaps += 1
    await this.page.getByRole(role, { name }).click()
  }

  /** Waits for the page with this heading, and checks that everybody can use it. */
  async sees(heading: string | RegExp): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading }).waitFor()
    assert.deepEqual(await accessibilityFaults(this.page), [], `${heading}`)
    const overflow = await this.page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.ok(Number(overflow) <= 0, `${heading} is wider than the screen`)
  }
}

test('a household signs on phones: two links, one call; the path is short, every page is accessible and light', async () => {
  const [lead, housemate] = sampleTenants(2)
  const household = succeeded(
    await partner.post('/Households', {
      addressUid: ordinaryProperty().addressUid,
      packages: ['electricity', 'gas'],
      tenants: [lead, housemate],
      householdComplete: true,
    }),
  )
  for (const tenant of household.tenants) await sign(tenant)
  assert.equal(succeeded(await partner.get(`/Quotes/${household.quoteId}`)).status, 'completed')
})

async function sign({ url, customerId }: { url: string; customerId: string }): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: 390, height: 844 },
    reducedMotion: 'reduce',
    javaScriptEnabled: true,
  })
  const page = await context.newPage()
  const phone = new Phone(page)
  let weight = 0
  page.on('response', async (response) => {
    const isCardPage = response.url().includes('/sandbox/')
    if (!isCardPage) weight += (await response.body().catch(() => Buffer.alloc(0))).length
  })
  await page.goto(url)
  await phone.sees(words.link.title)
  await phone.tap(words.link.button)
  await phone.sees(words.welcome.title(''))
  assert.ok(weight <= 60_000, `the first load is ${weight} bytes`)
  await phone.tap(words.welcome.button)
  await phone.sees(words.details.title)
  await phone.fill(words.details.firstName, 'Ada')
  await phone.fill(words.details.lastName, 'Example')
  await phone.fill(words.details.phone, '07700 900123')
  await phone.fill('Day', '27')
  await phone.fill('Month', '3')
  await phone.fill('Year', '1999')
  await phone.tap(words.continue)
  await phone.sees(words.needs.title)
  await phone.tap(words.needs.skip)
  if (await page.getByRole('heading', { level: 1, name: words.earlySupply.title }).isVisible()) {
    await phone.sees(words.earlySupply.title)
    await phone.tap(/^Begin on/, 'radio')
    await phone.tap(words.continue)
  }
  await phone.sees(words.payments.title)
  await phone.tap(words.continue, 'link')
  await phone.sees(words.card.title)
  await phone.tap(words.card.button)
  await phone.page.getByRole('heading', { name: 'Add your card' }).waitFor()
  await phone.fill('Card number', '4242424242424242')
  await phone.fill('Expires MM / YY', '12 / 30')
  await phone.fill('Security code', '123')
  await phone.tap('Save card')
  await waitFor(
    'the card',
    () => paymentStatus(partner, customerId),
    (status) => status === 'ready',
  )
  await phone.tap(/^Go back to/, 'link')
  await phone.sees(words.card.title)
  await page.getByText(words.card.savedUnnamed).waitFor()
  await phone.tap(words.continue, 'link')
  await phone.sees(words.code.title)
  await phone.tap(words.code.send)
  const shown = await page.locator('.notice').textContent()
  await phone.fill(words.code.label, /\d{6}/.exec(shown ?? '')?.[0] ?? '')
  await phone.tap(words.continue)
  await phone.sees(words.agree.title)
  await phone.tap(/^Agree and pay £[\d.]+ a month, £[\d,.]+ in total$/)
  await phone.sees(words.done.title)
  assert.ok(phone.pages <= most.pages, `${phone.pages} pages`)
  assert.ok(phone.fieldsAndTaps <= most.fieldsAndTaps, `${phone.fieldsAndTaps} fields and taps`)
  await page.getByRole('link', { name: words.done.contract, exact: true }).click()
  assert.equal(await page.locator('iframe').isVisible(), false, 'a frame that scrolls is of no use on a phone')
  await page.getByRole('link', { name: 'Back to your pages' }).click()
  await page
    .getByRole('heading', {
      level: 1,
      name: new RegExp(`^(${words.done.title}|${words.home.states.in_force.heading})$`),
    })
    .waitFor()
  await context.close()
}

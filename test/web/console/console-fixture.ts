import { after, type TestContext } from 'node:test'
import { decodeJwt } from 'jose'
import type { Browser, Page } from 'playwright-core'
import type { Environment } from '../../../src/platform/config/env.ts'
import type { Clock } from '../../../src/platform/kernel/clock.ts'
import { connectPartner, type Partner } from '../../support/client.ts'
import { succeeded } from '../../support/responses.ts'
import { startTestService, type TestService } from '../../support/service.ts'
import { shareBrowser } from '../pages/browser.ts'

/**
 * A sandbox (with webhooks to this machine allowed), a partner's API client and a browser. All are closed after the
 * file's tests.
 */
export interface ConsoleLab {
  service: TestService
  partner: Partner
  browser: Browser
}

export async function openConsoleLab(
  environment: Environment = {},
  replacements: { clock?: Clock } = {},
): Promise<ConsoleLab> {
  const service = await startTestService(
    { WEBHOOK_ALLOW_LOOPBACK: 'true', WEBHOOK_RETRY_SECONDS: '3600', ...environment },
    replacements,
  )
  const [partner, browser] = await Promise.all([connectPartner(service.baseUrl, service.credentials), shareBrowser()])
  after(async () => {
    await service.stop()
  })
  return { service, partner, browser }
}

/** The message that the browser itself writes to its console when a request fails. */
const isRequestOfItsOwn = (text: string) => text.startsWith('Failed to load resource')

/**
 * Opens a new tab, `width` px wide. The test fails if the page reports an error, violates its content security policy
 * or sends a request to another server.
 */
export async function openTab(
  t: Pick<TestContext, 'after'>,
  { browser, service }: Pick<ConsoleLab, 'browser' | 'service'>,
  width = 390,
): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width, height: 844 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
  })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !isRequestOfItsOwn(message.text())) faults.push(message.text())
  })
  page.on('request', (request) => {
    if (!request.url().startsWith(`${service.baseUrl}/`)) faults.push(`asked ${request.url()}`)
  })
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  )
  t.after(async () => {
    await context.close()
    if (faults.length > 0) throw new Error(`The console reported: ${faults.join('; ')}`)
  })
  return page
}

/** Opens a page of the console and signs in with these credentials, or with those of the sandbox. */
export async function signIn(
  page: Page,
  { service }: Pick<ConsoleLab, 'service'>,
  path = '/console',
  { clientId, clientSecret } = service.credentials,
): Promise<void> {
  await page.goto(`${service.baseUrl}${path}`)
  await page.getByLabel('Client id').fill(clientId)
  await page.getByLabel('Client secret').fill(clientSecret)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.locator('#page h1').waitFor()
}

/** Signs in as this partner without the form. Test partners have the sandbox's secret. */
export async function signInAs(page: Page, { service }: Pick<ConsoleLab, 'service'>, own: Partner): Promise<void> {
  const { client_id: clientId } = decodeJwt(own.token)
  const { clientSecret } = service.credentials
  const response = await page.context().request.post(`${service.baseUrl}/console/session`, {
    headers: { 'X-Housebill-Console': '?', Origin: service.baseUrl },
    data: { clientId, clientSecret },
  })
  if (!response.ok()) throw new Error(`signing in returned ${response.status()}: ${await response.text()}`)
}

/** Registers a webhook through the API. */
export async function register(
  partner: Partner,
  port: number,
  { path = '/hook', events = ['quote.status.changed'] }: { path?: string; events?: readonly string[] } = {},
): Promise<string> {
  return succeeded(await partner.post('/Webhooks', { url: `https://127.0.0.1:${port}${path}`, events })).webhookId
}

/** Waits for the first element that matches `selector` and returns its visible text. */
export async function textOf(page: Page, selector: string): Promise<string> {
  return (await page.locator(selector).first().innerText()).replaceAll(/\s+/g, ' ').trim()
}

/** Resolves once the main heading of the page is `title`. */
export function waitForHeading(page: Page, title: string) {
  return page.getByRole('heading', { level: 1, name: title, exact: true }).waitFor()
}

/** The visible text of the focused element. */
export function focusedText(page: Page): Promise<string> {
  return page.evaluate('document.activeElement.innerText ?? ""')
}

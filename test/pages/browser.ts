import type { TestContext } from 'node:test'
import SparticuzChromium from '@sparticuz/chromium'
import { type Browser, chromium, type Page } from 'playwright-core'

/** A headless Chromium: the one of `CHROME_PATH`, else the one that comes from npm (Linux on x64). */
export async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH || (await SparticuzChromium.executablePath())
  // Without a sandbox of its own, as the tests may run as root; it only ever opens pages of this machine.
  return chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'] })
}

/** A page of phone size in a context of its own, which fails the test where the page's script or policy reports an error. */
export async function openPage(t: TestContext, browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    // What a refused request writes by itself is no error of the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  t.after(async () => {
    await context.close()
    if (errors.length > 0) throw new Error(`The page reported: ${errors.join('; ')}`)
  })
  return page
}

import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { atTheEnd } from '../../support/at-the-end.ts'

let shared: Promise<Browser> | undefined

/**
 * Returns the headless Chromium of this process, from `CHROME_PATH` or else from npm (Linux on x64). Test files share
 * it, and each closes the contexts that it opens. It ends when the process has run its last file.
 */
export async function shareBrowser(): Promise<Browser> {
  // Not the promise itself: a file that awaits another file's promise would continue as part of that file, which has
  // ended.
  if (shared !== undefined) return await shared
  const launched = launchBrowser()
  shared = launched
  atTheEnd(async () => {
    shared = undefined
    await (await launched).close()
  })
  return launched
}

async function launchBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROME_PATH || (await unpackedChromium())
  // The browser runs without its sandbox, because tests may run as root. It opens only pages served by this machine. A
  // signal that a test sends to its own process must not end the browser that other tests share; it ends with the
  // process anyway.
  const ownSignals = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false }
  const args = ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage']
  return chromium.launch({ executablePath, args, ...ownSignals })
}

/**
 * Unpacks the browser once for all processes. Each process unpacks into a separate folder, and the first to finish
 * renames its folder to the shared name. A child process writes the file, because a browser forked during the write
 * would inherit the open file, and an executable that is open for writing cannot be started.
 */
async function unpackedChromium(): Promise<string> {
  const { version } = createRequire(import.meta.url)('../../../node_modules/@sparticuz/chromium/package.json')
  const folder = join(tmpdir(), `housebill-chromium-${version}-${process.geteuid?.()}`)
  if (!existsSync(folder)) {
    const own = await mkdtemp(`${folder}-`)
    const script = `import chromium from '@sparticuz/chromium'; await chromium.executablePath()`
    const env = { ...process.env, TMPDIR: own }
    await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script], { env })
    await rename(own, folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error
    })
    await rm(own, { recursive: true, force: true })
  }
  return join(folder, 'chromium')
}

/**
 * Opens a phone-sized page in a new browser context. The test fails if a script or the page's content security policy
 * reports an error.
 */
export async function openPage(t: TestContext, browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 360, height: 800 }, reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(60_000)
  const errors: string[] = []
  page.on('pageerror', (error) => errors.push(error.message))
  page.on('console', (message) => {
    // The browser writes this message when a request fails. It is not an error in the page.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) errors.push(message.text())
  })
  t.after(async () => {
    await context.close()
    if (errors.length > 0) throw new Error(`The page reported: ${errors.join('; ')}`)
  })
  return page
}

import assert from 'node:assert/strict'
import { words } from '../../src/tenant-pages/words.ts'
import type { Partner } from '../support/client.ts'
import { succeeded } from '../support/responses.ts'
import type { ServiceUnderTest } from '../support/service.ts'

/** A page as a browser without scripts has it. */
export interface OpenedPage {
  status: number
  /** The address without its origin, after redirects. */
  path: string
  text: string
  headers: Headers
}

/**
 * A browser without scripts: keeps the cookies that pages set, follows redirects within the service, and fills in forms.
 * Knows paths of cookies as browsers do.
 */
export class TenantBrowser {
  readonly #origin: string
  readonly #cookies = new Map<string, { value: string; path: string }>()
  /** The page that is open. */
  page: OpenedPage | undefined

  constructor(url: string) {
    this.#origin = new URL(url).origin
  }

  open(path: string): Promise<OpenedPage> {
    return this.#go('GET', path)
  }

  /**
   * Sends the form of the open page whose button has this text, with these values. Hidden fields are sent as they are.
   */
  async send(button: string, values: Record<string, string | string[]> = {}): Promise<OpenedPage> {
    const { page } = this
    assert.ok(page, 'no page is open')
    const forms = [...page.text.matchAll(/<form\b[^>]*>.*?<\/form>/gs)].map(([form]) => form)
    const form = forms.find((each) => each.includes(`>${button}</button>`))
    assert.ok(form, `no form has the button "${button}": ${page.path}\n${page.text}`)
    const body = new URLSearchParams()
    for (const [, name = '', value = ''] of form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g))
      body.append(name, value.replaceAll('&amp;', '&'))
    for (const [name, given] of Object.entries(values)) for (const value of [given].flat()) body.append(name, value)
    const [, action] = /<form\b[^>]*\saction="([^"]*)"/.exec(form) ?? []
    return this.#go('POST', action ?? page.path, body)
  }

  /** Sends a form from elsewhere: any body, with these headers. */
  post(
    path: string,
    body: Record<string, string> | FormData,
    headers: Record<string, string> = {},
  ): Promise<OpenedPage> {
    return this.#go('POST', path, body instanceof FormData ? body : new URLSearchParams(body), headers)
  }

  /** The cookies that the browser would send to a path. */
  cookiesFor(path: string): string {
    return [...this.#cookies]
      .filter(([, cookie]) => path === cookie.path || path.startsWith(`${cookie.path.replace(/\/$/, '')}/`))
      .map(([name, { value }]) => `${name.split(' ')[0]}=${value}`)
      .join('; ')
  }

  /** Forgets the session, as when a browser is closed that keeps what marks the device. */
  forget(name: string): void {
    for (const key of this.#cookies.keys()) if (key.startsWith(name)) this.#cookies.delete(key)
  }

  async #go(
    method: string,
    path: string,
    body?: URLSearchParams | FormData,
    headers: Record<string, string> = {},
  ): Promise<OpenedPage> {
    const url = new URL(path, this.#origin)
    assert.equal(url.origin, this.#origin, `${path} leads elsewhere`)
    const cookie = this.cookiesFor(url.pathname)
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(cookie === '' ? {} : { cookie }), ...headers },
      ...(body === undefined ? {} : { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const location = response.headers.get('location')
    if (location !== null) {
      await response.body?.cancel()
      return this.#go('GET', location)
    }
    this.page = {
      status: response.status,
      path: `${url.pathname}${url.search}`,
      text: await response.text(),
      headers: response.headers,
    }
    return this.page
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ')
    const at = pair.indexOf('=')
    const path = attributes.find((each) => each.startsWith('Path='))?.slice('Path='.length) ?? '/'
    const name = `${pair.slice(0, at)} ${path}`
    if (attributes.includes('Max-Age=0')) this.#cookies.delete(name)
    else this.#cookies.set(name, { value: pair.slice(at + 1), path })
  }
}

/** The heading of a page, as text. */
export function headingOf({ text }: OpenedPage): string {
  return (/<h1>(.*?)<\/h1>/s.exec(text)?.[1] ?? '').trim()
}

/** The code that a sandbox's page shows. */
export function shownCode({ text }: OpenedPage): string {
  const [, code] = /so here it is: (\d{6})/.exec(text) ?? []
  assert.ok(code, 'the page shows no code')
  return code
}

/** Proves on the code page that the tenant reads their e-mails. */
export async function enterCode(browser: TenantBrowser): Promise<OpenedPage> {
  return browser.send('Continue', { code: shownCode(await browser.send('Send me a code')) })
}

/** Opens a fresh link to a tenant's pages and presses its button; `withCode` also proves that it is the tenant. */
export async function openPages(
  { baseUrl }: Pick<ServiceUnderTest, 'baseUrl'>,
  partner: Partner,
  customerId: string,
  { withCode = false } = {},
): Promise<TenantBrowser> {
  const browser = new TenantBrowser(baseUrl)
  await browser.open(new URL(succeeded(await partner.post(`/Customers/${customerId}/onboarding-links`)).url).pathname)
  await browser.send(words.link.button)
  if (withCode) {
    await browser.open(`/my-bills/${customerId}/code`)
    await enterCode(browser)
  }
  return browser
}

/** What the summary says is wrong, by field. Each problem links to a field of the page. */
export function problemsOf({ status, text }: OpenedPage): Record<string, string> {
  const [, summary = ''] = /<div class="summary"[^>]*>(.*?)<\/div>/s.exec(text) ?? []
  const found = [...summary.matchAll(/<a href="#([^"]+)">(.*?)<\/a>/g)].map(([, field = '', problem = '']) => {
    assert.ok(text.includes(`id="${field}"`), `the page has no field ${field}`)
    return [field, problem] as const
  })
  assert.equal(status, found.length > 0 ? 422 : 200, text)
  return Object.fromEntries(found)
}

/** What a page tells about what has just happened; undefined if nothing. */
export function noticeOf({ text }: OpenedPage): string | undefined {
  return /<div class="notice" role="status"><p>(.*?)<\/p>/.exec(text)?.[1]
}

/** What a page that shows rows of terms and values says, by term. */
export function rowsOf({ text }: OpenedPage): Record<string, string> {
  return Object.fromEntries(
    [...text.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, term = '', value = '']) => [term, value] as const),
  )
}

/** The cells of the table of a page, by row. */
export function tableOf({ text }: OpenedPage): string[][] {
  const [, body = ''] = /<tbody>(.*?)<\/tbody>/s.exec(text) ?? []
  return [...body.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => cell),
  )
}

/** A date as its three fields. */
export function dateFields(name: string, date: string): Record<string, string> {
  const [year = '', month = '', day = ''] = date.split('-')
  return { [`${name}-day`]: day, [`${name}-month`]: month, [`${name}-year`]: year }
}

import type { FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../../app/http/route-dependencies.ts'
import { createRateLimit, type RateLimit } from '../../partners/http/rate-limit.ts'
import { clientAddressOf } from '../../platform/http/client-address.ts'
import { errorResponses } from '../../platform/http/errors/error-responses.ts'
import { type Html, html } from '../../platform/http/pages/html.ts'
import { rawBody } from '../../platform/http/plugins/body.ts'
import { asDomainError } from '../../platform/http/plugins/error-handler.ts'
import { networkOf } from '../../platform/http/plugins/network-of.ts'
import type { CallCounters } from '../../platform/rate-limits/call-counter.ts'
import { words } from '../words.ts'
import { Form } from './form.ts'
import { createLook } from './look.ts'
import { type Frame, type PageContent, sendPage } from './page.ts'

/** Where all pages are. */
export const root = '/my-bills'

export interface TenantPagesOptions {
  publicUrl: string
  counters: CallCounters
  requestsPerSecond: number
}

export type PageRequest = FastifyRequest<{ Params: { customerId: string }; Querystring: Record<string, unknown> }>

/** What every response to a tenant has in common. */
export interface TenantHttp {
  frame: Frame
  /** The limit on all requests of an address. */
  byAddress: RateLimit
  /** The names of the cookies. */
  cookies: { session: string; device: string; notice: string }
  /** Calls `run` within a limit. An error becomes a page. */
  limited(
    request: FastifyRequest,
    reply: FastifyReply,
    limit: RateLimit,
    run: () => Promise<FastifyReply>,
  ): Promise<FastifyReply>
  sendSimple(reply: FastifyReply, title: string, text: Html): FastifyReply
  /** The page behind every link and session that has ended or never was. Keeps what was entered for `path`. */
  sendEnded(reply: FastifyReply, entered?: { form: Form; path: string }): FastifyReply
  /** The page for a form that was not ours, or whose session has ended. */
  sendStale(reply: FastifyReply, path: string): FastifyReply
  /** Sets a cookie for the tenant's own pages. */
  setCookie(reply: FastifyReply, customerId: string, name: string, value: string, seconds: number): void
  /** Whether a form comes from one of our pages. */
  isOwnOrigin(request: FastifyRequest): boolean
}

/** Builds what the pages of a deployment have in common. */
export function createTenantHttp(
  deployment: DeploymentDependencies,
  { publicUrl, counters, requestsPerSecond }: TenantPagesOptions,
): TenantHttp {
  const { operator, cipher, realm } = deployment
  const frame: Frame = { look: createLook(operator), operator, isSandbox: realm === 'sandbox' }
  const isSecure = publicUrl.startsWith('https://')
  const prefix = isSecure ? '__Secure-' : ''
  const cookies = {
    session: `${prefix}housebill-session`,
    device: `${prefix}housebill-device`,
    notice: `${prefix}housebill-notice`,
  }
  const policy = { name: 'tenant-pages', quota: requestsPerSecond, windowSeconds: 1 }
  const byAddress = createRateLimit(policy, counters)
  return { frame, byAddress, cookies, limited, sendSimple, sendEnded, sendStale, setCookie, isOwnOrigin }

  async function limited(
    request: FastifyRequest,
    reply: FastifyReply,
    limit: RateLimit,
    run: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      await limit.consume(cipher.hash(networkOf(clientAddressOf(request))), reply)
      await deployment.refreshHashKeys()
      return await run()
    } catch (error) {
      return sendFailure(request, reply, error)
    }
  }

  /** A page for an error that no page can explain. Only unexpected ones are logged as such. */
  function sendFailure(request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply {
    const { code, cause, retryAfterSeconds } = asDomainError(error, request)
    if (code === 'internal_error') request.log.error({ err: error }, 'a page for tenants failed unexpectedly')
    if (code === 'service_unavailable') request.log.warn({ err: cause ?? error }, 'dependency unavailable')
    if (retryAfterSeconds !== undefined) reply.header('Retry-After', String(Math.max(1, Math.ceil(retryAfterSeconds))))
    const isBusy = retryAfterSeconds !== undefined || code === 'internal_error'
    const { title } = isBusy ? words.busy : words.notNow
    const text = isBusy ? words.busy.text(retryAfterSeconds && Math.ceil(retryAfterSeconds)) : words.notNow.text
    return sendSimple(reply.code(errorResponses[code].status), title, html`<p>${text}</p>`)
  }

  function sendSimple(reply: FastifyReply, title: string, text: Html): FastifyReply {
    return sendPage(reply, frame, { title, body: html`<h1>${title}</h1>${text}` } satisfies PageContent)
  }

  function sendEnded(reply: FastifyReply, entered?: { form: Form; path: string }): FastifyReply {
    const { title, text, again, newLink, kept, goOn } = words.ended
    const goingOn =
      entered &&
      html`<p>${kept}</p><form method="post" action="${entered.path}">${hiddenFields(entered.form)}<button type="submit" class="second">${goOn}</button></form>`
    return sendSimple(
      reply.code(403),
      title,
      html`<p>${text}</p><p>${again}</p>${goingOn}<p><a class="button" href="${root}">${newLink}</a></p>`,
    )
  }

  function sendStale(reply: FastifyReply, path: string): FastifyReply {
    const { title, text, again } = words.stale
    return sendSimple(reply.code(403), title, html`<p>${text}</p><p><a class="button" href="${path}">${again}</a></p>`)
  }

  function setCookie(reply: FastifyReply, customerId: string, name: string, value: string, seconds: number): void {
    const attributes = `Path=${root}/${customerId}; HttpOnly; SameSite=Lax; Max-Age=${seconds}${isSecure ? '; Secure' : ''}`
    reply.header('Set-Cookie', `${name}=${value}; ${attributes}`)
  }

  /**
   * Browsers say where a form comes from. Older ones send only the origin, which our referrer policy makes `null`: then
   * the form's token decides.
   */
  function isOwnOrigin({ headers }: FastifyRequest): boolean {
    const site = headers['sec-fetch-site']
    if (site !== undefined) return site === 'same-origin'
    const { origin } = headers
    return (
      origin === undefined ||
      origin === 'null' ||
      origin === new URL(publicUrl).origin ||
      URL.parse(origin)?.host === headers.host
    )
  }
}

/** What happened before the page, in a box. */
export function noticeBox(notice: string | undefined): Html | null {
  return notice === undefined ? null : html`<div class="notice" role="status"><p>${notice}</p></div>`
}

/** Sends the browser to another page. */
export function goTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.header('Cache-Control', 'private, no-store').redirect(path, 303)
}

/** What was entered in a form. */
export function formIn(request: FastifyRequest): Form {
  return new Form(new URLSearchParams(rawBody(request).toString('utf8')))
}

/** What was entered, as hidden fields of another form. */
function hiddenFields(form: Form): Html {
  return html`${form.entered().map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}`
}

/** The value of a cookie; undefined if the browser sent none. */
export function cookieIn({ headers }: FastifyRequest, name: string): string | undefined {
  const pairs = (headers.cookie ?? '').split(';').map((pair) => pair.trim())
  return pairs.find((pair) => pair.startsWith(`${name}=`))?.slice(name.length + 1)
}

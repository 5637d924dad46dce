import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PageDeployment } from '../app/http/route-dependencies.ts'
import { operatorFrame } from '../contracts/links/operator-frame.ts'
import { privacyPath } from '../contracts/operator-file.ts'
import { type Cookie, createCookie } from '../pages/cookies.ts'
import { type Form, hiddenFields } from '../pages/form.ts'
import { type Frame, type Shown, sendPage } from '../pages/frame.ts'
import { type Html, html } from '../pages/html.ts'
import { orErrorPage } from '../pages/register-pages.ts'
import { createRateLimit, limitByAddress, type RateLimit } from '../partners/http/rate-limit.ts'
import type { CallCounters } from '../platform/rate-limits/call-counter.ts'
import type { Visit } from './tenant-visit.ts'
import { words } from './words.ts'

/** Where all pages are. */
export const root = '/my-bills'

export interface TenantPagesOptions {
  publicUrl: string
  counters: CallCounters
  requestsPerSecond: number
}

/** What every response to a tenant has in common. */
export interface TenantHttp {
  /** What is around a page: of a tenant who has opened it, or of anybody. */
  frameOf(visit?: Visit, shown?: Shown): Frame
  /** The cookies, which are sent only to the tenant's own pages. */
  cookies: { session: Cookie; device: Cookie }
  /** Counts a request of an address, within `limit` or the one on all pages. Throws `rate_limited`. */
  admit(request: FastifyRequest, reply: FastifyReply, limit?: RateLimit): Promise<void>
  /** Calls `run` within a limit. An error becomes a page. */
  limited(
    request: FastifyRequest,
    reply: FastifyReply,
    run: () => Promise<FastifyReply>,
    limit?: RateLimit,
  ): Promise<FastifyReply>
  /** The page behind every link and session that has ended or never was. Keeps what was entered for `path`. */
  sendEnded(reply: FastifyReply, entered?: { form: Form; path: string }): FastifyReply
}

/** The path for which a tenant's cookies are set. */
export const cookiePath = (customerId: string) => `${root}/${customerId}`

/** Builds what the pages of a deployment have in common. */
export function createTenantHttp(
  deployment: PageDeployment,
  { publicUrl, counters, requestsPerSecond }: TenantPagesOptions,
): TenantHttp {
  const { cipher } = deployment
  const cookies = {
    session: createCookie(publicUrl, 'housebill-session', { of: 'path' }),
    device: createCookie(publicUrl, 'housebill-device', { of: 'path' }),
  }
  const byAddress = createRateLimit({ name: 'tenant-pages', quota: requestsPerSecond, windowSeconds: 1 }, counters)
  return { frameOf, cookies, admit, limited, sendEnded }

  async function admit(request: FastifyRequest, reply: FastifyReply, limit = byAddress): Promise<void> {
    await limitByAddress(limit, cipher)(request, reply)
  }

  function limited(
    request: FastifyRequest,
    reply: FastifyReply,
    run: () => Promise<FastifyReply>,
    limit?: RateLimit,
  ): Promise<FastifyReply> {
    return orErrorPage(request, reply, { frame: frameOf(), notNow: words.notNow }, async () => {
      await admit(request, reply, limit)
      return run()
    })
  }

  function frameOf(visit?: Visit, { isOver = false }: Partial<Shown> = {}): Frame {
    const frame = operatorFrame(deployment, visit?.path(privacyPath.slice(1)))
    if (visit === undefined) return frame
    const footer = html`${frame.footer}${isOver ? null : signOutForm(visit)}`
    return { ...frame, header: html`${frame.header}${viaOf(visit)}`, footer }
  }

  function sendEnded(reply: FastifyReply, entered?: { form: Form; path: string }): FastifyReply {
    const { title, text, again, newLink, kept, goOn } = words.ended
    const goingOn =
      entered &&
      html`<p>${kept}</p><form method="post" action="${entered.path}">${hiddenFields(entered.form.entered())}<button type="submit" class="second">${goOn}</button></form>`
    const body = html`<h1>${title}</h1><p>${text}</p><p>${again}</p>${goingOn}<p><a class="button" href="${root}">${newLink}</a></p>`
    return sendPage(reply.code(403), frameOf(), { title, body })
  }
}

/** Who the tenant came from, and where the way back to them leads. */
function viaOf({ partnerName, quote: { returnUrl } }: Visit): Html {
  return html`<p class="via">${returnUrl === null ? words.via(partnerName) : html`<a href="${returnUrl}">${words.backTo(partnerName)}</a>`}</p>`
}

function signOutForm({ session, path }: Visit): Html {
  return html`<form method="post" action="${path('sign-out')}"><input type="hidden" name="formToken" value="${session.formToken}"><button class="plain" type="submit">${words.signOut}</button></form>`
}

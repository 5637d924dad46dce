import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PageDeployment } from '../../app/http/route-dependencies.ts'
import { refuseMails, refuseReminders } from '../../contracts/mails/refuse-mails.ts'
import { isOwnOrigin } from '../../pages/cookies.ts'
import { textField } from '../../pages/fields.ts'
import { Form, formIn } from '../../pages/form.ts'
import { sendPage } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { goTo, sendStale } from '../../pages/register-pages.ts'
import { createRateLimit } from '../../partners/http/rate-limit.ts'
import { clientAddressOf } from '../../platform/http/client-address.ts'
import { networkOf } from '../../platform/http/plugins/network-of.ts'
import { comparableEmail } from '../../platform/kernel/email.ts'
import { sendFreshLinks } from '../fresh-links.ts'
import { cookiePath, root, type TenantHttp, type TenantPagesOptions } from '../tenant-http.ts'
import { words } from '../words.ts'
import { beginSession, sessionHours } from './tenant-sessions.ts'
import type { Visits } from './visits.ts'

/** How many links one network can ask for: for one e-mail address, and in all, because whole halls share a network. */
const linksPerHour = { address: 5, network: 200 }

/**
 * What needs no session: the permanent address, the links of tenants, and the links in e-mails by which their reader
 * refuses more.
 */
export function registerLinks(
  app: FastifyInstance,
  deployment: PageDeployment,
  { http, visits, options }: { http: TenantHttp; visits: Visits; options: TenantPagesOptions },
): void {
  const { onboardingLinks, operator, cipher } = deployment
  const { frameOf, cookies, limited, sendEnded } = http
  const frame = frameOf()
  const isOwn = (request: FastifyRequest) => isOwnOrigin(request, options.publicUrl)
  const { ownerOf, sessionOwner } = visits
  const limitOf = (name: string, quota: number) =>
    createRateLimit(
      { name, quota: options.requestsPerSecond === 0 ? 0 : quota, windowSeconds: 3_600 },
      options.counters,
    )
  const linksOfNetwork = limitOf('tenant-links', linksPerHour.network)
  const linksOfAddress = limitOf('tenant-links-of-address', linksPerHour.address)

  registerFreshLinks()
  registerLink()
  registerRefusal()

  /** The permanent address: it has no secret, and answers the same for every e-mail address. */
  function registerFreshLinks(): void {
    const show = (reply: FastifyReply, form: Form) => {
      const text = words.newLink
      const field = textField(form, {
        name: 'email',
        label: text.email,
        type: 'email',
        autocomplete: 'email',
        maxLength: 254,
      })
      const body = html`<h1>${text.title}</h1><p>${text.intro}</p>
<form method="post" novalidate>${field}<button type="submit">${text.button}</button></form><p class="hint">${text.without}</p>`
      return sendPage(reply, frame, { title: text.title, body }, form.problems)
    }
    app.get(root, (request, reply) => limited(request, reply, async () => show(reply, new Form(new URLSearchParams()))))
    app.post(root, (request, reply) =>
      limited(
        request,
        reply,
        async () => {
          if (!isOwn(request)) return sendStale(reply, frame, root)
          const form = formIn(request)
          const email = form.text('email')
          if (!/^[^\s@]+@[^\s@]+$/.test(email))
            return show(reply.code(422), form.with([{ field: 'email', text: words.newLink.emailProblem }]))
          const network = networkOf(clientAddressOf(request))
          await linksOfAddress.consume(cipher.hash(`${network} ${comparableEmail(email)}`), reply)
          // After the response, so that the time it takes does not tell whether the address is known.
          reply.raw.once('finish', () => void sendLinks(request, email))
          const { sentTitle, sent } = words.newLink
          return sendPage(reply, frame, { title: sentTitle, body: html`<h1>${sentTitle}</h1><p>${sent}</p>` })
        },
        linksOfNetwork,
      ),
    )
  }

  async function sendLinks(request: FastifyRequest, email: string): Promise<void> {
    try {
      const sent = await sendFreshLinks(
        { ...deployment, contractUrlPolicy: deployment.contractUrlPolicy },
        email,
        request.id,
      )
      for (const { partnerId, customerId } of sent) await deployment.sendTenantMails(partnerId, customerId)
    } catch (error) {
      request.log.error({ err: error }, 'fresh links could not be sent')
    }
  }

  /** What a link opens: a page with a button. Opening it changes nothing. */
  function registerLink(): void {
    const path = `${root}/:customerId/links/:token`
    const text = words.link
    type LinkRequest = FastifyRequest<{
      Params: { customerId: string; token: string }
      Querystring: Record<string, unknown>
    }>
    const open = async (request: LinkRequest) => {
      const { customerId, token } = request.params
      const owner = await ownerOf(customerId)
      if (owner === undefined) return undefined
      const at = sessionOwner(request, owner, 'openLink')
      const current = { customerId: at.customerId, revision: owner.onboardingRevision, now: at.now }
      const revision = await onboardingLinks.opens(token, current)
      return revision === undefined ? undefined : { ...at, revision }
    }
    app.get(path, (request: LinkRequest, reply) =>
      limited(request, reply, async () => {
        if ((await open(request)) === undefined) return sendEnded(reply)
        const body = html`<h1>${text.title}</h1><p>${text.intro(operator.trader.name)}</p>
<form method="post"><button type="submit">${text.button}</button></form><p class="hint">${text.private}</p>`
        return sendPage(reply, frame, { title: text.title, body })
      }),
    )
    app.post(path, (request: LinkRequest, reply) =>
      limited(request, reply, async () => {
        const link = isOwn(request) ? await open(request) : undefined
        if (link === undefined) return sendEnded(reply)
        const { revision, ...at } = link
        const [running, device] = [cookies.session.in(request), cookies.device.in(request)]
        const secret = await beginSession(at, { revision, running, device })
        if (secret === undefined) return sendEnded(reply)
        cookies.session.set(reply, secret, { seconds: sessionHours * 3_600, path: cookiePath(at.customerId) })
        return goTo(reply, `${root}/${at.customerId}/`)
      }),
    )
  }

  /** Where the reader of an e-mail says that they are not who was meant. Opening the link changes nothing. */
  function registerRefusal(): void {
    type RefusalRequest = FastifyRequest<{ Params: { customerId: string; token: string } }>
    for (const { path, text, refuse } of [
      { path: `${root}/:customerId/not-me/:token`, text: words.notMe, refuse: refuseMails },
      // Mail programs send the form themselves (RFC 8058).
      { path: `${root}/:customerId/no-reminders/:token`, text: words.noReminders, refuse: refuseReminders },
    ])
      registerRefusalPage(path, text, refuse)

    function registerRefusalPage(
      path: string,
      text: typeof words.notMe | typeof words.noReminders,
      refuse: typeof refuseMails,
    ): void {
      const send = async (request: RefusalRequest, reply: FastifyReply, change: 'read' | 'refuse' | 'allow') => {
        const { customerId, token } = request.params
        const found = await refuse(deployment, { customerId, token, requestId: request.id }, change)
        if (found === undefined) return sendEnded(reply)
        const { partnerName, isRefused } = found
        const title = isRefused ? text.refusedTitle : text.title
        const sentence = isRefused ? text.refused(partnerName) : text.intro(partnerName)
        const body = html`<h1>${title}</h1><p>${sentence}</p>
<form method="post"><input type="hidden" name="do" value="${isRefused ? 'allow' : 'refuse'}"><button type="submit"${isRefused ? html` class="second"` : null}>${isRefused ? text.allow : text.refuse}</button></form>`
        return sendPage(reply, frame, { title, body })
      }
      app.get(path, (request: RefusalRequest, reply) => limited(request, reply, () => send(request, reply, 'read')))
      app.post(path, (request: RefusalRequest, reply) =>
        limited(request, reply, async () => {
          if (!isOwn(request)) return sendStale(reply, frame, request.url)
          return send(request, reply, formIn(request).text('do') === 'allow' ? 'allow' : 'refuse')
        }),
      )
    }
  }
}

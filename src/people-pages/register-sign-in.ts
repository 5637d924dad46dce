import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { DeploymentDependencies } from '../app/http/route-dependencies.ts'
import { createCookie, isOwnOrigin } from '../pages/cookies.ts'
import { choiceField, textField } from '../pages/fields.ts'
import { Form, formIn } from '../pages/form.ts'
import { sendPage } from '../pages/frame.ts'
import { type Html, html } from '../pages/html.ts'
import { goTo, orErrorPage, sendStale } from '../pages/register-pages.ts'
import { createRateLimit } from '../partners/http/rate-limit.ts'
import { listManagedPartners } from '../partners/managing/manage-partners.ts'
import { sessionMinutes } from '../people/begin-session.ts'
import { listPeople } from '../people/manage-people.ts'
import {
  admitFromProvider,
  admitSample,
  beginCode,
  beginSignIn,
  enterCode,
  hasPeople,
  listCandidates,
  sampleRoles,
  signIn,
  signInMinutes,
  signInWithCode,
  takeProviderSignIn,
  takeSignInLink,
} from '../people/sign-in.ts'
import { clientAddressOf, isAtLoopbackSandbox } from '../platform/http/client-address.ts'
import { logSecurityEvent } from '../platform/http/plugins/access-log.ts'
import { networkOf } from '../platform/http/plugins/network-of.ts'
import { comparableEmail, isPlausibleEmail } from '../platform/kernel/email.ts'
import { isId, newId } from '../platform/kernel/ids.ts'
import type { PeoplePagesOptions, SurfaceHttp } from './person-page.ts'

/**
 * How many codes can be asked for: by a network for one e-mail address and in all, because branches share a network, and
 * for an address, so that nobody guesses from many networks.
 */
const codesPerHour = { addressOfNetwork: 5, address: 20, network: 100 }

const title = 'Sign in'

/** Serves the pages on which people sign in to a surface. Nobody is signed in on them. */
export function registerSignIn(
  app: FastifyInstance,
  deployment: DeploymentDependencies,
  { surface, root, frame, admit, begin: setSession }: SurfaceHttp,
  { publicUrl, counters, requestsPerSecond, trustedProxies, identity, mailSender }: PeoplePagesOptions,
): void {
  const { databases, operator } = deployment
  const deps = { ...deployment, db: databases.system }
  const signInPath = `${root}/sign-in`
  /** Names the sign-in that has begun in this browser. */
  const pending = createCookie(publicUrl, `housebill-${surface}-sign-in`, { of: 'host' })
  const limitOf = (name: string, quota: number) =>
    createRateLimit({ name, quota: requestsPerSecond === 0 ? 0 : quota, windowSeconds: 3_600 }, counters)
  const codesOfNetwork = limitOf('sign-in-codes', codesPerHour.network)
  const codesOfBoth = limitOf('sign-in-codes-of-both', codesPerHour.addressOfNetwork)
  const codesOfAddress = limitOf('sign-in-codes-of-address', codesPerHour.address)

  route('GET', '', (request, reply) => showStart(request, reply))
  if (surface === 'workplace') registerCode()
  else {
    registerPrintedLink()
    if (identity !== undefined) registerProvider(identity)
  }
  route('POST', '', (request, reply) => {
    if (isSimulated(request)) return signInAsChosen(request, reply)
    return surface === 'workplace' ? sendCode(request, reply) : showStart(request, reply)
  })

  /** Registers a page. A form of another site is not read. */
  function route(
    method: 'GET' | 'POST',
    path: string,
    run: (request: FastifyRequest, reply: FastifyReply) => Promise<FastifyReply>,
  ): void {
    const handler = (request: FastifyRequest, reply: FastifyReply) =>
      orErrorPage(request, reply, { frame, notNow: 'You cannot sign in now.' }, async () => {
        await admit(request, reply)
        if (method === 'POST' && !isOwnOrigin(request, publicUrl)) return sendStale(reply, frame, signInPath)
        return run(request, reply)
      })
    app.route({ method, url: `${signInPath}${path}`, handler })
  }

  async function showStart(request: FastifyRequest, reply: FastifyReply, entered = emptyForm()): Promise<FastifyReply> {
    if (isSimulated(request)) return showSamples(reply, entered)
    if (surface === 'desk') {
      const start = `${signInPath}/start?${queryOf(request).toString()}`
      const way =
        identity === undefined
          ? html`<p>Sign-in is not set up at this address. Open ${publicUrl}.</p>`
          : html`<p>You sign in with the account of your organisation.</p><p><a class="button" href="${start}">${title}</a></p>`
      return show(reply, title, way)
    }
    if (mailSender === undefined)
      return show(reply, title, html`<p>This service sends no e-mails, so nobody can sign in.</p>`)
    const field = {
      name: 'email',
      label: 'Your e-mail address',
      type: 'email',
      autocomplete: 'email',
      maxLength: 254,
    } as const
    return show(reply, title, formWith(textField(entered, field), 'Send a code'), entered)
  }

  /** Whether people only say who they are. */
  function isSimulated(request: FastifyRequest): boolean {
    const at = { realm: deployment.realm, publicUrl, trustedProxies }
    return isAtLoopbackSandbox(request, at) && (surface === 'workplace' || identity === undefined)
  }

  async function showSamples(reply: FastifyReply, entered: Form): Promise<FastifyReply> {
    const partners =
      surface === 'workplace' ? await listManagedPartners(deps) : [{ partnerId: undefined, name: operator.trader.name }]
    const found = partners.map(async ({ partnerId, name: group }) => {
      const people = (await listPeople(deps, partnerId)).filter(
        ({ state, invitedBy }) => state !== 'removed' && invitedBy !== 'sandbox',
      )
      const invited = people.map(({ personId, name, roles }) => ({
        value: personId,
        label: `${name}: ${roles.join(', ')}`,
        group,
      }))
      const samples = sampleRoles(surface).map((role) => ({
        value: [role, partnerId].join(' ').trim(),
        label: `Sam Sample: ${role}`,
        group,
      }))
      return [...invited, ...samples]
    })
    const field = choiceField(entered, {
      ...{ type: 'radio', name: 'who', label: 'Who are you?' },
      options: (await Promise.all(found)).flat(),
    })
    const notice = html`<p class="notice">Simulated: this sandbox is on your own machine, so nobody checks who you are.</p>`
    return show(reply, title, html`${notice}${formWith(field, title)}`, entered)
  }

  async function signInAsChosen(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const entered = formIn(request)
    const [who = '', partnerId] = entered.text('who').split(' ')
    const role = sampleRoles(surface).find((each) => each === who)
    const isOfPartner = partnerId !== undefined && isId('partner', partnerId)
    const sample =
      role === undefined || (surface === 'workplace') !== isOfPartner
        ? undefined
        : await admitSample(deps, role, isOfPartner ? partnerId : undefined)
    const personId = sample ?? (isId('person', who) ? who : undefined)
    if (personId === undefined)
      return showSamples(reply.code(422), entered.with([{ field: 'who', text: 'Choose who you are.' }]))
    return begin(request, reply, await signIn(depsOf(request, personId), personId, { browser: browserOf(request) }))
  }

  /** What a partner's people go through: their address, the code, and their name if several have the address. */
  function registerCode(): void {
    route('GET', '/code', async (request, reply) => showCode(reply, new Form(queryOf(request))))
    route('POST', '/code', async (request, reply) => {
      const entered = formIn(request)
      const secret = pending.in(request)
      const isRight =
        secret !== undefined && (await enterCode(deps, secret, entered.text('code').replaceAll(/\s/g, '')))
      if (isRight) return finish(request, reply, secret)
      logSecurityEvent(request, 'sign-in.refused', { reason: 'workplace: wrong code' })
      const text = `This is not the code, or it has expired. Codes work in the browser that asked for them, for ${signInMinutes.code} minutes.`
      return showCode(reply.code(422), entered.with([{ field: 'code', text }]))
    })
    route('GET', '/name', (request, reply) => finish(request, reply, pending.in(request)))
    route('POST', '/name', (request, reply) => finish(request, reply, pending.in(request), formIn(request)))
  }

  async function sendCode(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const entered = formIn(request)
    const email = entered.text('email')
    if (!isPlausibleEmail(email))
      return showStart(request, reply.code(422), entered.with([{ field: 'email', text: 'Enter your e-mail address.' }]))
    const [network, address] = [networkOf(clientAddressOf(request)), comparableEmail(email)]
    await codesOfNetwork.consume(deployment.cipher.hash(network), reply)
    await codesOfBoth.consume(deployment.cipher.hash(`${network} ${address}`), reply)
    await codesOfAddress.consume(deployment.cipher.hash(address), reply)
    const { secret, code } = await beginCode(deps, email)
    pending.set(reply, secret, { seconds: signInMinutes.code * 60 })
    // After the response, so that the time it takes does not tell whether anybody has the address.
    reply.raw.once('finish', () => void mailCode(request, email, code))
    return goTo(reply, stepPath(request, 'code'))
  }

  async function mailCode(request: FastifyRequest, email: string, code: string): Promise<void> {
    try {
      if (mailSender === undefined || !(await hasPeople(deps, email))) return
      const { name, email: replyTo } = operator.trader
      const lines = [
        `${code} is your code for ${publicUrl}${root}. It works for ${signInMinutes.code} minutes, in the browser that asked for it.`,
        `This link only fills it in: ${publicUrl}${signInPath}/code?code=${code}`,
        'If you did not ask for it, do nothing. Nobody gets in without it.',
      ]
      await mailSender.send({
        ...{ mailId: newId('mail'), to: { name: '', address: email }, from: { name, replyTo } },
        ...{
          subject: `${code} is your code`,
          text: lines.map((line) => `${line}\n`).join('\n'),
          date: deployment.clock.now(),
        },
      })
    } catch (error) {
      request.log.error({ err: error }, 'a code could not be sent')
    }
  }

  async function showCode(reply: FastifyReply, entered: Form): Promise<FastifyReply> {
    const field = textField(entered, {
      ...{ name: 'code', label: 'Six-digit code', inputMode: 'numeric', autocomplete: 'one-time-code' },
      ...{ maxLength: 12, size: 'short' },
    })
    const sentence = html`<p>If somebody with your address was invited, we have sent a code to it.</p>`
    const again = html`<p><a href="${signInPath}">Ask for another code</a></p>`
    return show(reply, 'Enter the code', html`${sentence}${formWith(field, 'Continue')}${again}`, entered)
  }

  /** Signs in the only person with the address, or asks which one it is. */
  async function finish(
    request: FastifyRequest,
    reply: FastifyReply,
    secret: string | undefined,
    entered = emptyForm(),
  ): Promise<FastifyReply> {
    const candidates = secret === undefined ? undefined : await listCandidates(deps, secret)
    if (secret === undefined || candidates === undefined || candidates.length === 0)
      return sendFailed(reply, 'no code was entered')
    const only = candidates.length === 1 ? candidates[0] : undefined
    const chosen = only ?? candidates.find(({ personId }) => personId === entered.text('personId'))
    if (chosen === undefined) {
      if (!request.url.startsWith(`${signInPath}/name`)) return goTo(reply, stepPath(request, 'name'))
      const field = choiceField(entered, {
        ...{ type: 'radio', name: 'personId', label: 'Who are you?' },
        options: candidates.map(({ personId, name, partnerName }) => ({
          value: personId,
          label: name,
          hint: partnerName,
        })),
      })
      return show(reply, 'Who are you?', formWith(field, title), entered)
    }
    const { personId, isSharedMailbox } = chosen
    const credential = isSharedMailbox ? `${personId} (shared mailbox)` : personId
    const session = await signInWithCode(depsOf(request, credential), secret, { personId, browser: browserOf(request) })
    return begin(request, reply, session)
  }

  /** The link that `housebill people sign-in` prints. Opening it changes nothing. */
  function registerPrintedLink(): void {
    route('GET', '/links/:token', async (_request, reply) =>
      show(
        reply,
        title,
        html`<p>This link works once, within ${signInMinutes.link} minutes.</p>${formWith(html``, title)}`,
      ),
    )
    route('POST', '/links/:token', async (request, reply) => {
      const { token = '' } = request.params as { token?: string }
      const personId = await takeSignInLink(deps, token)
      if (personId === undefined) return sendFailed(reply, 'the link was used or has expired')
      return begin(request, reply, await signIn(depsOf(request, personId), personId, { browser: browserOf(request) }))
    })
  }

  function registerProvider(provider: NonNullable<typeof identity>): void {
    route('GET', '/start', async (request, reply) => {
      // Whoever proved who they are longer ago does so again.
      const minutes = queryOf(request).has('again') ? sessionMinutes.recent : sessionMinutes.longest
      const { url, expected } = await provider.begin(minutes * 60)
      const secret = await beginSignIn(deps, 'provider', { ...expected, next: queryOf(request).get('next') ?? root })
      pending.set(reply, secret, { seconds: signInMinutes.provider * 60 })
      return goTo(reply, url)
    })
    route('GET', '/callback', async (request, reply) => {
      const secret = pending.in(request)
      const expected = secret === undefined ? undefined : await takeProviderSignIn(deps, secret)
      if (expected === undefined) return sendFailed(reply, 'it did not begin in this browser')
      const provided = await provider.finish(queryOf(request), expected)
      if ('rejected' in provided) return sendFailed(reply, provided.rejected)
      const personId = await admitFromProvider(depsOf(request, 'identity provider'), provided)
      if (personId === undefined) {
        logSecurityEvent(request, 'sign-in.refused', { reason: 'desk: nobody has invited them' })
        return show(reply.code(403), 'You cannot sign in here', html`<p>Nobody has invited you. Ask an admin.</p>`)
      }
      const { provedAt } = provided
      const session = await signIn(depsOf(request, personId), personId, { browser: browserOf(request), provedAt })
      return begin(request, reply, session, expected.next)
    })
  }

  /** Leads to where the person wanted to go, with its filters, which only a page of this surface can be. */
  async function begin(
    request: FastifyRequest,
    reply: FastifyReply,
    session: string | undefined,
    next = queryOf(request).get('next') ?? root,
  ): Promise<FastifyReply> {
    if (session === undefined) return sendFailed(reply, 'it ended meanwhile')
    logSecurityEvent(request, 'sign-in.accepted', { reason: surface })
    await setSession(request, reply, session)
    return goTo(reply, new RegExp(`^${root}(/[\\w./-]*)?(\\?[\\w.~%+*=&:-]*)?$`).test(next) ? next : root)
  }

  function sendFailed(reply: FastifyReply, reason: string): FastifyReply {
    logSecurityEvent(reply.request, 'sign-in.refused', { reason: `${surface}: ${reason}` })
    const text = 'The code or link was used or has expired, or the sign-in began in another browser.'
    const again = html`<p><a class="button" href="${signInPath}">Begin again</a></p>`
    return show(reply.code(403), 'You are not signed in', html`<p>${text}</p>${again}`)
  }

  function show(reply: FastifyReply, heading: string, body: Html, entered = emptyForm()): FastifyReply {
    return sendPage(reply, frame, { title: heading, body: html`<h1>${heading}</h1>${body}` }, entered.problems)
  }

  /** The path of a step, which keeps where the person wanted to go. */
  function stepPath(request: FastifyRequest, step: string): string {
    return `${signInPath}/${step}?${new URLSearchParams({ next: queryOf(request).get('next') ?? root }).toString()}`
  }

  /** What the sign-in writes is in the audit log as this person's. */
  function depsOf(request: FastifyRequest, credential: string) {
    const actor = surface === 'desk' ? ('operator' as const) : ('client' as const)
    const origin = { actor, credential, requestId: request.id, operation: `${surface} sign-in` }
    return { ...deps, db: databases.forSystem(origin) }
  }
}

/** A form that is sent to the page it stands on. Nobody is signed in, so it has no token. */
function formWith(content: Html, button: string): Html {
  return html`<form method="post" novalidate>${content}<button type="submit">${button}</button></form>`
}

const emptyForm = () => new Form(new URLSearchParams())
const queryOf = ({ url }: FastifyRequest) => new URLSearchParams(url.split('?')[1] ?? '')
const browserOf = ({ headers }: FastifyRequest) => headers['user-agent'] ?? 'unknown'

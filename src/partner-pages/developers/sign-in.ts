import type { FastifyReply, FastifyRequest } from 'fastify'
import { textField } from '../../pages/fields.ts'
import { Form, goOnAfterSignIn, hiddenFields } from '../../pages/form.ts'
import { type Frame, sendPage } from '../../pages/frame.ts'
import { html } from '../../pages/html.ts'
import { goTo } from '../../pages/register-pages.ts'
import { waitInWords } from '../../pages/words.ts'
import type { CheckCredentials, SessionToken } from '../../partners/issue-token.route.ts'
import { programSessionSeconds, sessionScopes } from '../../partners/sessions/program-sessions.ts'
import type { TokenVerifier } from '../../partners/verify-token.ts'
import { DomainError } from '../../platform/kernel/errors.ts'
import { root } from './developer-visit.ts'

const neither = `Your credentials have neither of the scopes ${sessionScopes.join(' and ')}. Ask the operator for some that have one.`

interface SignInOptions {
  frame: Frame
  realm: 'sandbox' | 'live'
  /** Undefined if an external provider keeps the secrets: then one enters a token. */
  checkCredentials: CheckCredentials | undefined
  tokenVerifier: TokenVerifier
  /** Begins the session and sets its cookie. */
  start(request: FastifyRequest, reply: FastifyReply, token: SessionToken): Promise<void>
}

/** The page on which one signs in. The hidden field `next` is where one was, and `entered` what one had sent there. */
export function createSignIn({ frame, realm, checkCredentials, tokenVerifier, start }: SignInOptions) {
  return { show, submit }

  function show(reply: FastifyReply, form: Form, why?: string): FastifyReply {
    const title = 'Sign in'
    const [next, entered] = [ownPath(form.text('next')), form.text('entered')]
    const asPerson = `/workplace/sign-in?again=&next=${encodeURIComponent(next)}`
    const again = { form: new Form(new URLSearchParams(entered)), path: next, takesFiles: false }
    const kept = (['next', 'entered'] as const).map((name) => [name, form.text(name)] as const)
    const fields =
      checkCredentials === undefined
        ? html`<p>The access tokens of this deployment come from an external identity provider. Get one as your program does, for example with <code>POST /partner-api/Auth/token</code>.</p>
${textField(form, { name: 'accessToken', label: 'Access token', type: 'password', maxLength: 20_000, hint: 'Kept on the server, encrypted, until you sign out, an hour at most.' })}`
        : html`<p>Use the credentials of your program. They need the scope ${sessionScopes.join(' or ')}.${realm === 'sandbox' && ' A sandbox prints those of its sandbox partner when it first starts.'}</p>
${textField(form, { name: 'clientId', label: 'Client id' })}
${textField(form, { name: 'clientSecret', label: 'Client secret', type: 'password', hint: 'Checked and not stored. You stay signed in until you sign out, an hour at most.' })}`
    const body = html`<h1>${title}</h1>${why && html`<div class="notice" role="status"><p>${why}</p></div>`}
<form method="post" action="${root}/sign-in" novalidate>${hiddenFields(kept)}${fields}
<button type="submit">${title}</button></form>
${
  entered === ''
    ? html`<p>If your partner's admin has invited you, <a href="${asPerson}">sign in as yourself</a>.</p>`
    : html`<p>If your partner's admin has invited you, sign in as yourself in another tab, then go on here.</p>${goOnAfterSignIn(again, asPerson)}`
}`
    return sendPage(reply, frame, { title, body }, form.problems)
  }

  async function submit(request: FastifyRequest, reply: FastifyReply, form: Form): Promise<FastifyReply> {
    const [clientId, clientSecret] = [form.text('clientId'), form.text('clientSecret')]
    const field = checkCredentials === undefined ? 'accessToken' : 'clientSecret'
    // Nothing secret goes back to the browser.
    const again = new Form(new URLSearchParams(form.entered().filter(([name]) => !/secret|token/i.test(name))))
    try {
      const signedIn = await (checkCredentials === undefined
        ? checkToken(form.text('accessToken'))
        : checkCredentials(request, reply, { clientId, clientSecret }))
      if ('error' in signedIn) {
        const text = signedIn.error === 'invalid_request' ? neither : signedIn.description
        return show(reply.code(422), again.with([{ field, text }]))
      }
      await start(request, reply, signedIn)
    } catch (error) {
      if (!(error instanceof DomainError) || error.code !== 'rate_limited') throw error
      const seconds = Math.max(1, Math.ceil(error.retryAfterSeconds ?? 1))
      const text = `Too many attempts. Try again in ${waitInWords(seconds)}.`
      return show(reply.code(429).header('Retry-After', String(seconds)), again.with([{ field, text }]))
    }
    const [next, entered] = [ownPath(form.text('next')), form.text('entered')]
    if (entered === '') return goTo(reply, next)
    const title = 'You are signed in'
    const body = html`<h1>${title}</h1><p>What you had entered is still here, and was not sent.</p>
<form method="post" action="${next}">${hiddenFields([...new URLSearchParams(entered)])}<button type="submit">Check it and go on</button></form>`
    return sendPage(reply, frame, { title, body })
  }

  async function checkToken(accessToken: string): ReturnType<CheckCredentials> {
    const grant = await tokenVerifier.verify(accessToken)
    if ('rejected' in grant)
      return { error: 'invalid_client', description: `The token was rejected: ${grant.rejected}. Get a new one.` }
    if (!grant.scopes.some((scope) => sessionScopes.includes(scope)))
      return { error: 'invalid_request', description: neither }
    return { clientId: grant.clientId, accessToken, lifetimeSeconds: programSessionSeconds }
  }
}

/** A path of these pages. Nothing else that a form says leads anywhere. */
function ownPath(path: string): string {
  return path.startsWith(`${root}/`) && !path.includes('\\') ? path : `${root}/`
}

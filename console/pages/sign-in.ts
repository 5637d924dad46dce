import { html, nothing, type TemplateResult } from 'lit-html'
import { getToken } from '../api/get-token.ts'
import type { Deployment } from '../deployment.ts'
import type { Session } from '../session.ts'

/** Why the sign-in form is shown. */
export type SignInReason = 'first' | 'expired' | 'refused' | 'signed-out'

const reasons: Record<SignInReason, string | null> = {
  first: null,
  expired: 'Your access token has expired. Sign in again to continue where you left off. What you typed is still here.',
  refused:
    'The API no longer accepts your access token: it has expired, or its credentials were removed. Sign in again to continue where you left off. What you typed is still here.',
  'signed-out': 'You are signed out. The access token was deleted from this tab.',
}

/** The form that starts a session. It takes credentials or, if this page cannot get a token, a pasted token. */
export function openSignIn(
  deployment: Deployment,
  reason: SignInReason,
  { refresh, done }: { refresh: () => void; done: (session: Session) => void },
): { view(): TemplateResult } {
  let isBusy = false
  let refusal: string | null = null

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy || !(event.currentTarget instanceof HTMLFormElement)) return
    const form = event.currentTarget
    const given = new FormData(form)
    const field = (name: string) => String(given.get(name) ?? '').trim()
    isBusy = true
    refusal = null
    refresh()
    const signedIn =
      deployment.tokensFrom === 'outside'
        ? { session: { accessToken: field('accessToken'), clientId: null, expiresAt: null }, refusal: null }
        : await getToken(deployment, { clientId: field('clientId'), clientSecret: field('clientSecret') })
    isBusy = false
    refusal = signedIn.refusal
    if (signedIn.session !== null) {
      form.reset()
      done(signedIn.session)
      return
    }
    refresh()
    form.querySelector<HTMLElement>('.failure')?.focus()
  }

  return {
    view: () => html`<div class="narrow">
      <h1 tabindex="-1">Sign in</h1>
      <div role="status">${reasons[reason] === null ? nothing : html`<p class="notice">${reasons[reason]}</p>`}</div>
      <form class="panel" autocomplete="off" @submit=${submit}>
        <div role="alert">
          ${
            refusal === null
              ? nothing
              : html`<div class="failure" tabindex="-1">
                  <h2>Sign-in failed</h2>
                  <p>${refusal}</p>
                </div>`
          }
        </div>
        ${deployment.tokensFrom === 'outside' ? tokenField() : credentialFields(deployment)}
        <button class="primary" aria-disabled=${isBusy ? 'true' : 'false'}>${isBusy ? 'Signing in…' : 'Sign in'}</button>
      </form>
    </div>`,
  }
}

function credentialFields({ realm }: Deployment): TemplateResult {
  return html`<p>
      Use your program's credentials. They need the scope <code>webhooks:manage</code>.
      ${realm === 'sandbox' ? 'A sandbox prints the credentials of its sandbox partner when it first starts.' : nothing}
    </p>
    <div class="field">
      <label for="clientId">Client id</label>
      <input id="clientId" name="clientId" required autocapitalize="none" spellcheck="false" autocomplete="off" />
    </div>
    <div class="field">
      <label for="clientSecret">Client secret</label>
      <p class="hint" id="secret-hint">Exchanged for an access token and not stored. The token is kept in this tab until you sign out or close the tab.</p>
      <input id="clientSecret" name="clientSecret" type="password" required autocomplete="off" aria-describedby="secret-hint" />
    </div>`
}

function tokenField(): TemplateResult {
  return html`<p>
      This deployment's access tokens come from an external identity provider, and this page cannot request one. Get a token as
      your program does, for example with <code>POST /partner-api/Auth/token</code>, and paste it here. It needs the scope
      <code>webhooks:manage</code>.
    </p>
    <div class="field">
      <label for="accessToken">Access token</label>
      <p class="hint" id="token-hint">Kept in this tab until you sign out or close the tab.</p>
      <input id="accessToken" name="accessToken" type="password" required autocomplete="off" aria-describedby="token-hint" />
    </div>`
}

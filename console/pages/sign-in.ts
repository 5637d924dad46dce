import { html, nothing, type TemplateResult } from 'lit-html'
import type { Deployment } from '../deployment.ts'
import { beginSession, type Session } from '../session.ts'

/** Why the sign-in form is shown. */
export type SignInReason = 'first' | 'expired' | 'rejected' | 'signed-out' | 'not-confirmed'

const reasons: Record<SignInReason, string | null> = {
  first: null,
  expired: 'Your session has expired. Sign in again to continue where you left off. What you typed is still here.',
  rejected:
    'The API no longer accepts your session: it has ended, its credentials were removed, or another client signed in with this browser. Sign in again to continue where you left off. What you typed is still here.',
  'signed-out': 'You are signed out. The session has ended on the server too.',
  'not-confirmed':
    'The server did not confirm that your session has ended. It ends by itself an hour after you signed in. Sign in and out again to end it now.',
}

/** The form that starts a session. It takes credentials or, with an external identity provider, a pasted token. */
export function openSignIn(
  deployment: Deployment,
  reason: SignInReason,
  { refresh, done }: { refresh: () => void; done: (session: Session) => void },
): { view(): TemplateResult } {
  let isBusy = false
  let rejection: string | null = null

  const submit = async (event: SubmitEvent) => {
    event.preventDefault()
    if (isBusy || !(event.currentTarget instanceof HTMLFormElement)) return
    const form = event.currentTarget
    const given = new FormData(form)
    const field = (name: string) => String(given.get(name) ?? '').trim()
    isBusy = true
    rejection = null
    refresh()
    const signedIn = await beginSession(
      deployment.tokensFrom === 'outside'
        ? { accessToken: field('accessToken') }
        : { clientId: field('clientId'), clientSecret: field('clientSecret') },
    )
    isBusy = false
    rejection = signedIn.rejection
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
            rejection === null
              ? nothing
              : html`<div class="failure" tabindex="-1">
                  <h2>Sign-in failed</h2>
                  <p>${rejection}</p>
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
      <p class="hint" id="secret-hint">Checked and not stored. You stay signed in until you sign out, an hour at most.</p>
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
      <p class="hint" id="token-hint">Kept on the server, encrypted, until you sign out, an hour at most.</p>
      <input id="accessToken" name="accessToken" type="password" required autocomplete="off" aria-describedby="token-hint" />
    </div>`
}

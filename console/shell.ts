import { nothing, render } from 'lit-html'
import { createCall } from './api/call.ts'
import type { Deployment } from './deployment.ts'
import { frame } from './frame.ts'
import { type MountedPage, mountPage } from './mounted-page.ts'
import type { Notice } from './page.ts'
import { openSignIn, type SignInReason } from './pages/sign-in.ts'
import { findPage } from './routes.ts'
import { endSession as endServerSession, hasExpired, type Session } from './session.ts'

const home = '/console/webhooks'

/**
 * Runs the session and the navigation around the console's pages. When the session expires or is rejected, the sign-in
 * form replaces the page. After signing in, the user gets the page back with everything that was typed.
 */
export function startShell(root: HTMLElement, deployment: Deployment, found: Session | undefined): void {
  let session = found
  let reason: SignInReason = 'first'
  let lastClientId = session?.clientId
  let visit: MountedPage | undefined
  let signIn: ReturnType<typeof openSignIn> | undefined

  const call = createCall({
    clientId: () => session?.clientId ?? '',
    onUnauthenticated: () => {
      if (session !== undefined) endSession(hasExpired(session) ? 'expired' : 'rejected')
    },
  })

  function draw() {
    const signedIn = session === undefined ? undefined : { clientId: session.clientId, signOut: () => void signOut() }
    render(frame({ deployment, signedIn, path: location.pathname, toContent }), root)
    place('sign-in').hidden = session !== undefined
    place('page').hidden = session === undefined
    render(session === undefined && signIn !== undefined ? signIn.view() : nothing, place('sign-in'))
    const title = session === undefined ? 'Sign in' : visit?.page.title
    document.title = `${title} · Housebill ${deployment.realm}`
  }

  function open({ notice, focus }: { notice?: Notice; focus: boolean }) {
    visit?.leave()
    visit = undefined
    if (location.pathname.replace(/\/$/, '') === '/console') history.replaceState(null, '', home)
    if (session === undefined) return askToSignIn(focus)
    const { open: openPage, id } = findPage(location.pathname)
    visit = mountPage(place('page'), openPage, id, { call, go })
    draw()
    if (notice !== undefined) visit.context.say(notice)
    if (focus) focusHeading()
  }

  function go(href: string, { notice, replace = false }: { notice?: Notice; replace?: boolean } = {}) {
    history[replace ? 'replaceState' : 'pushState'](null, '', href)
    open({ ...(notice === undefined ? {} : { notice }), focus: true })
    scrollTo(0, 0)
  }

  function askToSignIn(focus: boolean) {
    signIn = openSignIn(deployment, reason, { refresh: draw, done: beginSession })
    draw()
    if (focus) focusHeading()
  }

  function beginSession(begun: Session) {
    const isSamePartner = begun.clientId === lastClientId
    session = begun
    lastClientId = begun.clientId
    signIn = undefined
    if (visit === undefined || !isSamePartner) return open({ focus: true })
    draw()
    focusHeading()
    void visit.page.load?.()
  }

  function endSession(why: SignInReason) {
    session = undefined
    reason = why
    askToSignIn(true)
  }

  async function signOut() {
    visit?.leave()
    visit = undefined
    history.pushState(null, '', '/console')
    endSession((await endServerSession()) ? 'signed-out' : 'not-confirmed')
  }

  function focusHeading() {
    place(session === undefined ? 'sign-in' : 'page')
      .querySelector('h1')
      ?.focus()
  }

  function place(id: 'page' | 'sign-in'): HTMLElement {
    const found = root.querySelector<HTMLElement>(`#${id}`)
    if (found === null) throw new Error(`the frame has no element #${id}`)
    return found
  }

  function toContent(event: Event) {
    event.preventDefault()
    focusHeading()
  }

  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    if (link === null || !isPlain || event.defaultPrevented || link.target !== '') return
    if (link.origin !== location.origin || !link.pathname.startsWith('/console')) return
    event.preventDefault()
    go(link.href)
  })
  addEventListener('popstate', () => open({ focus: true }))
  render(frame({ deployment, signedIn: undefined, path: location.pathname, toContent }), root)
  open({ focus: false })
}

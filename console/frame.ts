import { html, nothing, type TemplateResult } from 'lit-html'
import type { Deployment } from './deployment.ts'

interface FrameOptions {
  deployment: Deployment
  signedIn: { clientId: string; signOut: () => void } | undefined
  /** The current path, whose section is marked in the navigation. */
  path: string
  toContent: (event: Event) => void
}

const sections = [
  { href: '/console/webhooks', label: 'Webhooks', below: /^\/console\/(webhooks|deliveries|replays)/ },
  { href: '/console/events', label: 'Events', below: /^\/console\/events/ },
]

/** The frame around every page. It shows the deployment, the navigation and the signed-in client. */
export function frame({ deployment, signedIn, path, toContent }: FrameOptions): TemplateResult {
  return html`<a class="skip" href="#page" @click=${toContent}>Skip to the content</a>
    <p class="realm ${deployment.realm}">
      ${
        deployment.realm === 'sandbox'
          ? html`<strong>Sandbox.</strong> All data here is test data.`
          : html`<strong>Live.</strong> This is the data of real households.`
      }
    </p>
    <header>
      <a class="brand" href="/console">Housebill <span>console</span></a>
      ${signedIn === undefined ? nothing : navigation(path)}
      <div class="who">
        <a href="/docs">API reference</a>
        ${
          signedIn === undefined
            ? nothing
            : html`<span class="client">${signedIn.clientId}</span>
                <button type="button" class="plain" @click=${signedIn.signOut}>Sign out</button>`
        }
      </div>
    </header>
    <main>
      <div id="sign-in"></div>
      <div id="page"></div>
    </main>`
}

function navigation(path: string): TemplateResult {
  return html`<nav aria-label="Console">
    ${sections.map(
      ({ href, label, below }) =>
        html`<a href=${href} aria-current=${below.test(path) ? 'page' : nothing}>${label}</a>`,
    )}
  </nav>`
}

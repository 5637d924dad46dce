import { html } from '../../pages/html.ts'
import { descriptionList } from '../../pages/lists.ts'
import type { DeveloperPage } from './developer-visit.ts'
import { moment } from './in-words.ts'

/** Who is signed in: what they may do and until when. */
export const credentialsPage: DeveloperPage = {
  name: 'credentials',
  async show({ clientId, signedInAs, scopes, allowedFrom, settings, session, realm }) {
    const limit = settings.requestsPerSecond
    const body = html`<h1>Credentials</h1>${descriptionList([
      ['Signed in as', signedInAs],
      ['Id in the audit list', html`<code>${clientId}</code>`],
      ['For', realm],
      ['Scopes of this session', scopes.map((scope) => html`<code>${scope}</code> `)],
      ['Allowed from', allowedFrom === null ? 'Anywhere' : allowedFrom.join(', ')],
      ['Limit of your own', limit === null ? 'None: that of the deployment' : `${limit} requests a second`],
      ['You are signed in until', moment(session.expiresAt.toISOString())],
    ])}
<p>Whatever else the credentials may do, a session keeps these scopes only. The operator adds credentials, rotates their secrets and removes them. See <a href="/docs/guides/authentication">authentication</a>.</p>`
    return { title: 'Credentials', body }
  },
}

import { formOf } from '../pages/form.ts'
import { html } from '../pages/html.ts'
import { dataTable, descriptionList } from '../pages/lists.ts'
import { endSession, listSessions } from '../people/sessions.ts'
import { browserInWords } from './browser-in-words.ts'
import type { PersonPage } from './person-page.ts'
import { inWords } from './tasks.page.ts'

/** Who is signed in, and where. Every session can be ended here. */
export const accountPage: PersonPage = {
  name: 'account',
  may: 'anybody',
  menu: 'You',
  async show({ person, session, scopes, own }) {
    const sessions = await listSessions(own, person)
    const endForm = (sessionId: string, button: string) =>
      formOf(session.formToken, html`<input type="hidden" name="sessionId" value="${sessionId}">`, button, {
        look: 'plain',
      })
    const title = person.name
    const body = html`<h1>${title}</h1>
${descriptionList([
  ['E-mail address', person.email],
  ['Roles', person.roles.join(', ')],
  ['You can', scopes.join(', ')],
  ...(person.branches.length > 0 ? [['Branches', person.branches.join(', ')]] : []),
])}
${dataTable(
  {
    caption: 'Where you are signed in',
    columns: [
      { heading: 'Browser', cell: ({ browser }) => browserInWords(browser) },
      { heading: 'Since', cell: ({ signedInAt }) => inWords(signedInAt) },
      { heading: 'Last seen', cell: ({ lastSeenAt }) => inWords(lastSeenAt) },
      {
        heading: 'End it',
        cell: ({ sessionId }) =>
          endForm(sessionId, sessionId === session.sessionId ? 'Sign out here' : 'Sign out there'),
      },
    ],
  },
  sessions,
)}`
    return { title, body }
  },
  async submit({ person, session, own, path, forget }, form) {
    const sessionId = form.text('sessionId')
    await endSession(own, person, sessionId)
    if (sessionId !== session.sessionId) return { goTo: path('account'), notice: 'session_ended' }
    forget()
    const title = 'You are signed out'
    return {
      title,
      body: html`<h1>${title}</h1><p><a class="button" href="${path('')}">Sign in again</a></p>`,
      isOver: true,
    }
  },
}

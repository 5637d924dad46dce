import { html } from '../pages/html.ts'
import { confirmPage, dataTable } from '../pages/lists.ts'
import { listPeople, removePerson } from '../people/manage-people.ts'
import type { Person } from '../people/people.store.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { DeskVisit, PersonPage } from './person-page.ts'
import { inWords } from './tasks.page.ts'

/** The operator's people. */
export const peoplePage: PersonPage<DeskVisit> = {
  name: 'people',
  may: 'partners:read',
  menu: 'People',
  async show({ deps, path, scopes }) {
    const people = (await listPeople(deps, undefined)).filter(({ state }) => state !== 'removed')
    const mayRemove = scopes.includes('partners:write')
    const body = html`<h1>People</h1>
${dataTable<Person>(
  {
    caption: 'Your people',
    columns: [
      { heading: 'Name', cell: ({ name }) => name },
      { heading: 'E-mail address', cell: ({ email }) => email },
      { heading: 'Roles', cell: ({ roles, scopes: named }) => [...roles, ...named].join(', ') },
      { heading: 'Last seen', cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'Not yet' : inWords(lastSeenAt)) },
      ...(mayRemove
        ? [
            {
              heading: 'Change',
              cell: ({ personId }: Person) => html`<a href="${path(`people/${personId}/remove`)}">Remove</a>`,
            },
          ]
        : []),
    ],
  },
  people,
)}`
    return { title: 'People', body }
  },
}

/** Removes one of the operator's people. */
export const removePersonPage: PersonPage<DeskVisit> = {
  name: 'remove-person',
  path: 'people/:personId/remove',
  may: 'partners:write',
  needsRecentSignIn: true,
  async show(visit) {
    const person = await requireOwn(visit)
    return confirmPage(visit, {
      title: `Remove ${person.name}?`,
      back: visit.path('people'),
      consequences: html`<p>They are signed out everywhere at once, and cannot sign in again. This cannot be undone.</p>`,
      button: 'Remove',
      stay: { text: 'Do not remove them', path: visit.path('people') },
    })
  },
  async submit(visit) {
    await removePerson(visit.deps, (await requireOwn(visit)).personId)
    return { goTo: visit.path('people'), notice: 'person_removed' }
  },
}

async function requireOwn({ deps, parameters }: DeskVisit) {
  const people = await listPeople(deps, undefined)
  const person = people.find(({ personId, state }) => personId === parameters.personId && state !== 'removed')
  if (person === undefined) throw new DomainError('not_found', 'None of your people has this id.')
  return person
}

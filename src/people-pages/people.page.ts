import { changePersonRoute, invitePersonRoute } from '../back-office/people/people.route.ts'
import { checkedBody, fieldsIn } from '../pages/checked-body.ts'
import { choiceField, textField } from '../pages/fields.ts'
import { Form, formOf, keyField } from '../pages/form.ts'
import { type Html, html } from '../pages/html.ts'
import { confirmPage, dataTable } from '../pages/lists.ts'
import { operatorAccountId } from '../partners/operators/operator-scopes.ts'
import { changePerson, invitePerson, listPeople, type Manager, removePerson } from '../people/manage-people.ts'
import type { Person } from '../people/people.store.ts'
import { grantsOf, type NamedScope, type PersonScope, type Role } from '../people/roles.ts'
import { DomainError } from '../platform/kernel/errors.ts'
import type { PersonPage, PersonVisit } from './person-page.ts'
import { inWords } from './tasks.page.ts'

/**
 * The pages on which somebody who has the scope `change` invites, changes and removes the people of their own account,
 * and gives nothing that they do not have. `see` opens the list.
 */
export function peoplePages(see: PersonScope, change: PersonScope): PersonPage[] {
  const list: PersonPage = {
    name: 'people',
    may: see,
    menu: 'People',
    async show(visit) {
      const { path, scopes } = visit
      const people = await listOwn(visit)
      const nameOf = new Map<string, string>(people.map(({ personId, name }) => [personId, name]))
      const actions = ({ personId }: Person) =>
        html`<a href="${path(`people/${personId}/change`)}">Change</a> <a href="${path(`people/${personId}/remove`)}">Remove</a>`
      const mayChange = scopes.includes(change)
      const body = html`<h1>People</h1>${mayChange && html`<p><a class="button" href="${path('people/invite')}">Invite somebody</a></p>`}
${dataTable<Person>(
  {
    caption: 'Your people',
    columns: [
      { heading: 'Name', cell: ({ name }) => name },
      { heading: 'E-mail address', cell: ({ email }) => email },
      { heading: 'Roles', cell: ({ roles, scopes: named }) => [...roles, ...named].join(', ') },
      { heading: 'Branches', cell: ({ branches }) => branches.join(', ') },
      { heading: 'Invited by', cell: ({ invitedBy }) => nameOf.get(invitedBy) ?? invitedBy },
      { heading: 'Last seen', cell: ({ lastSeenAt }) => (lastSeenAt === null ? 'Not yet' : inWords(lastSeenAt)) },
      ...(mayChange ? [{ heading: 'Change', cell: actions }] : []),
    ],
  },
  people.filter(({ state }) => state !== 'removed'),
)}`
      return { title: 'People', body }
    },
  }

  const invite: PersonPage = {
    name: 'invite-person',
    path: 'people/invite',
    may: change,
    needsRecentSignIn: true,
    async show(visit, form) {
      const title = 'Invite somebody'
      const email = textField(form, { name: 'email', label: 'E-mail address', type: 'email', maxLength: 254 })
      const fields = html`${keyField(form)}${nameField(form)}${email}${grantFields(visit, form)}`
      const body = html`<h1>${title}</h1><p>No e-mail is sent. Tell them where to sign in.</p>${formOf(visit.session.formToken, fields, 'Invite')}`
      return { title, back: visit.path('people'), body }
    },
    async submit(visit, form) {
      const given = { name: form.text('name'), email: form.text('email'), ...grantsIn(form) }
      const invited = checkedBody(invitePersonRoute, given, rulesOf(visit))
      await invitePerson(visit.own, managerOf(visit), invited, `${visit.person.personId} ${form.text('key')}`)
      return { goTo: visit.path('people'), notice: 'person_invited' }
    },
    problems,
  }

  const changed: PersonPage = {
    name: 'change-person',
    path: 'people/:personId/change',
    may: change,
    needsRecentSignIn: true,
    async show(visit, form) {
      const { name, roles, scopes, branches } = await requireOwn(visit)
      const chosen = [...roles.map((role) => ['roles', role]), ...scopes.map((scope) => ['scopes', scope])]
      const stored = new URLSearchParams([['name', name], ['branches', branches.join(', ')], ...chosen])
      const shown = form.entered().length === 0 ? new Form(stored) : form
      const title = `Change ${name}`
      const fields = html`${nameField(shown)}${grantFields(visit, shown)}`
      const body = html`<h1>${title}</h1><p>Whoever may do less from now on is signed out everywhere at once.</p>${formOf(visit.session.formToken, fields, 'Save')}`
      return { title, back: visit.path('people'), body }
    },
    async submit(visit, form) {
      const changes = checkedBody(changePersonRoute, { name: form.text('name'), ...grantsIn(form) }, rulesOf(visit))
      await changePerson(visit.own, managerOf(visit), visit.parameters.personId ?? '', changes)
      return { goTo: visit.path('people'), notice: 'person_changed' }
    },
    problems,
  }

  const remove: PersonPage = {
    name: 'remove-person',
    path: 'people/:personId/remove',
    may: change,
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
      await removePerson(visit.own, managerOf(visit), visit.parameters.personId ?? '')
      return { goTo: visit.path('people'), notice: 'person_removed' }
    },
  }
  return [list, invite, changed, remove]
}

/** Where the errors of the operations belong, in their own words. */
const problems = fieldsIn(invitePersonRoute, ['/name', '/email', '/roles', '/scopes', '/branches'])

/** What the pages tell has happened. */
export const peopleNotices = {
  person_invited: 'They can sign in now.',
  person_changed: 'Saved.',
  person_removed: 'They cannot sign in any more.',
}

/** What the schemas of the operations are checked with. */
const rulesOf = ({ own }: PersonVisit) => ({ caller: { now: own.clock.now() }, deps: own })

function managerOf({ person, scopes }: PersonVisit): Manager {
  return { by: person.personId, of: person.partnerId, mayGive: scopes }
}

function nameField(form: Form): Html {
  return textField(form, { name: 'name', label: 'Name', maxLength: 100 })
}

/** What the person is given, of what the reader may give. */
function grantFields({ person: { partnerId }, scopes: own }: PersonVisit, form: Form): Html {
  const { roles, scopes } = grantsOf(partnerId)
  const offered = Object.entries(roles).map(([role, of]) => ({ value: role, label: role, hint: of.join(', ') }))
  const named = scopes.filter((scope) => own.includes(scope) || form.chosen('scopes').includes(scope))
  return html`${choiceField(form, { name: 'roles', label: 'Roles', type: 'checkbox', options: offered })}
${named.length > 0 && choiceField(form, { name: 'scopes', label: 'By name', type: 'checkbox', options: named.map((scope) => ({ value: scope, label: scope })) })}
${textField(form, { name: 'branches', label: 'Branches', hint: 'Leave this empty for no particular one. Separate several with commas.', maxLength: 5_000 })}`
}

function grantsIn(form: Form) {
  const branches = form.text('branches').split(',')
  return {
    // These casts are safe: the schema of the operation checks both.
    roles: form.chosen('roles') as Role[],
    scopes: form.chosen('scopes') as NamedScope[],
    branches: branches.map((branch) => branch.trim()).filter((branch) => branch !== ''),
  }
}

function listOwn({ own, person: { partnerId } }: PersonVisit): Promise<Person[]> {
  return listPeople(own, partnerId === operatorAccountId ? undefined : partnerId)
}

async function requireOwn(visit: PersonVisit): Promise<Person> {
  const isSought = ({ personId, state }: Person) => personId === visit.parameters.personId && state !== 'removed'
  const person = (await listOwn(visit)).find(isSought)
  if (person === undefined) throw new DomainError('not_found', 'None of your people has this id.')
  return person
}

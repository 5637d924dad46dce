import { textField } from '../../pages/fields.ts'
import { formOf } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { descriptionList } from '../../pages/lists.ts'
import { readSettingsRoute, updateSettingsRoute } from '../../partners/managing/own-settings.route.ts'
import { listPeople } from '../../people/manage-people.ts'
import type { AgencyPage } from './agency-visit.ts'

/** What applies to the agency: what it sets itself, and what the operator alone sets. */
export const settingsPage: AgencyPage = {
  name: 'settings',
  may: 'people:manage',
  menu: 'Settings',
  problems: { '/senderName': { field: 'senderName' } },
  async show({ call, own, partnerId, path, session }, form) {
    const [settings, people] = await Promise.all([call(readSettingsRoute), listPeople(own, partnerId)])
    const { name, senderName, returnUrls, confirmations, nudges } = settings
    const branches = [...new Set(people.flatMap((each) => (each.state === 'removed' ? [] : each.branches)))].sort()
    const field = textField(form, {
      ...{ name: 'senderName', label: 'What tenants read as your name', maxLength: 100 },
      hint: 'It is in e-mails to tenants and on their pages. E-mails that wait to be sent keep the name they have.',
      value: senderName ?? name,
    })
    const body = html`<h1>Settings</h1>${formOf(session.formToken, field, 'Save')}
<h2>Branches</h2><p>${branches.length === 0 ? 'None of your people belongs to a branch.' : branches.join(', ')}</p>
<p>A branch is there as soon as one of your people belongs to it. <a href="${path('people')}">Change your people</a></p>
<h2>What the operator sets</h2><p>Ask the operator to change these.</p>
${descriptionList([
  ['Your name', name],
  ['Pages to which tenants may be sent back', returnUrls.length === 0 ? 'None' : returnUrls.join(', ')],
  ['Who sends confirmations of contracts', confirmations === 'partner' ? 'You' : 'The operator, if it sends e-mails'],
  ['Reminders to sign', nudges === 'off' ? 'Off' : 'On'],
  ["Tenants' contract documents", 'Nobody opens them at the workplace. Tenants have them on their own pages.'],
])}`
    return { title: 'Settings', body }
  },
  async submit({ call, path }, form) {
    await call(updateSettingsRoute, { body: { senderName: form.text('senderName') } })
    return { goTo: path('settings'), notice: 'settings_saved' }
  },
}

export const settingsNotices = { settings_saved: 'Saved.' }

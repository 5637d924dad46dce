import type { Contract } from '../../contracts/contract.ts'
import { changeOccupiers, readOccupiers } from '../../contracts/occupiers/change-occupiers.ts'
import { updateOccupiersRoute } from '../../contracts/occupiers/occupiers.route.ts'
import { updateCustomerRoute } from '../../onboarding/customers.route.ts'
import { updateCustomer } from '../../onboarding/update-customer.ts'
import { checkedBody, problemsIn } from '../../pages/checked-body.ts'
import { selectField, textField } from '../../pages/fields.ts'
import { formOf } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { addDays, londonDate } from '../../platform/kernel/dates.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import { nextOccupierKinds } from '../../quoting/quotes/occupiers.ts'
import { leadTenantId, primaryContact } from '../../quoting/quotes/quote.ts'
import { noAddress, readPersonalDetails } from '../../quoting/tenants/personal-details.schema.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'

const text = words.movingOut

/** From how many days before the last day a tenant is asked, as e-mails tell of it first, and until how many after. */
const [daysBefore, daysAfter] = [45, 60]

/** Whether a tenant is about to leave, or has just left, under a contract that took effect. */
export function isMovingOut(contract: Contract, now: Date): boolean {
  const today = londonDate(now)
  const lastDay = lastDayOf(contract)
  const isOpen = contract.status === 'in_force' || contract.status === 'ended'
  return (
    isOpen &&
    lastDay >= contract.startsOn &&
    today >= addDays(lastDay, -daysBefore) &&
    today <= addDays(lastDay, daysAfter)
  )
}

/** Where letters go after the last day, which each tenant says for themselves, and who follows, which the lead is asked. */
export const movingOutPage: TenantPage = {
  name: 'moving-out',
  needs: 'code',
  when: 'after signing',
  problems: {
    ...problemsIn(updateCustomerRoute, { '/forwardingAddress': text.problems.forwardingAddress }),
    ...problemsIn(updateOccupiersRoute, {
      '/nextOccupier/name': text.problems.name,
      '/nextOccupier/contact': text.problems.contact,
    }),
  },
  async show(visit, form) {
    const { contract, customer, path, session } = visit
    if (contract === null || !isMovingOut(contract, visit.caller.now)) return { goTo: path('home') }
    const next = await askedOf(visit)
    const options = [
      { value: '', label: text.notKnown },
      ...nextOccupierKinds.flatMap((value) => (value === 'unknown' ? [] : [{ value, label: text.kinds[value] }])),
    ]
    const fields = html`${textField(form, { name: 'forwardingAddress', label: text.address, hint: text.addressHint, value: customer.personal.forwardingAddress, maxLength: 300 })}
${
  next === undefined
    ? null
    : html`${selectField(form, { name: 'who', label: text.who, hint: text.whoHint, value: next?.who ?? '', options })}
${textField(form, { name: 'name', label: text.name, value: next?.name ?? '' })}
${textField(form, { name: 'contact', label: text.contact, value: next?.contact ?? '' })}`
}`
    return {
      title: text.title,
      back: path('home'),
      body: html`<h1>${text.title}</h1><p>${text.intro}</p>${formOf(session.formToken, fields, words.save)}`,
    }
  },
  async submit(visit, form) {
    const { deps, caller, customerId, customer, quote, contract, path } = visit
    if (contract === null || !isMovingOut(contract, caller.now)) return path('home')
    const forwardingAddress = form.text('forwardingAddress')
    const who = nextOccupierKinds.find((kind) => kind === form.text('who'))
    const given = Object.fromEntries(
      (['name', 'contact'] as const)
        .map((name) => [name, form.text(name)] as const)
        .filter(([, value]) => value !== ''),
    )
    const sent = { forwardingAddress: forwardingAddress === '' ? noAddress : forwardingAddress }
    const address = checkedBody(updateCustomerRoute, sent, visit)
    if (who !== undefined && (await askedOf(visit)) !== undefined) {
      const { nextOccupier } = checkedBody(updateOccupiersRoute, { nextOccupier: { who, ...given } }, visit)
      await changeOccupiers(deps, caller, quote.quoteId, {
        moveIn: undefined,
        nextOccupier: { name: null, contact: null, ...nextOccupier, givenBy: customerId },
      })
    }
    if (forwardingAddress !== customer.personal.forwardingAddress)
      await updateCustomer(deps, caller, customerId, { personal: readPersonalDetails(address), psr: undefined })
    return { goTo: path('home'), notice: 'changed' }
  },
}

/**
 * What the lead tenant said of who follows; null if they have not. Undefined for whoever is not asked: housemates, and
 * everybody once the partner or the operator said it.
 */
async function askedOf({ deps, caller, quote, customerId }: Visit) {
  if (leadTenantId(quote) !== customerId && primaryContact(quote) !== customerId) return undefined
  const { nextOccupier: next } = await readOccupiers(deps, caller, quote.quoteId)
  return next === null || next.givenBy === customerId ? next : undefined
}

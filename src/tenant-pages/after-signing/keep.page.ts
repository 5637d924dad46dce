import { keepContract } from '../../contracts/termination/keep-contract.ts'
import type { Form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { confirmPage } from '../../pages/lists.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { lastDayOf } from '../../quoting/packages/service-status.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { endingInWords, figuresOf, requireFigures } from './ending.ts'

const text = words.keep

/** Taking back an early end that the tenant set: what they pay then is shown before the button. */
export const keepPage: TenantPage = {
  name: 'keep',
  needs: 'code',
  when: 'after signing',
  async show(visit) {
    const { contract, path } = visit
    if (contract === null || contract.endSetBy !== 'tenant') return { goTo: path('home') }
    const kept = await keep(visit)
    return confirmPage(visit, {
      title: text.title,
      back: path('home'),
      consequences: html`<p>${text.intro(dayInWords(lastDayOf(kept.contract)))}</p>${endingInWords(kept)}`,
      figures: figuresOf(kept),
      button: text.button,
      stay: { text: text.stay, path: path('home') },
    })
  },
  async submit(visit, form) {
    // Nothing is left to take back if the form is sent twice.
    if (visit.contract?.endedOn !== null) await keep(visit, form)
    return { goTo: visit.path('home'), notice: 'end_taken_back' }
  },
}

/** Takes the end back if the tenant was shown what they pay then; without a form, only works it out. */
function keep({ deps, caller, customerId }: Visit, form?: Form) {
  return keepContract(deps, caller, customerId, {
    dryRun: form === undefined,
    require: form === undefined ? undefined : (kept) => requireFigures(form, kept),
  })
}

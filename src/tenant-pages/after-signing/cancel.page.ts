import { lastDayToCancel } from '../../contracts/contract.ts'
import { cancelContract } from '../../contracts/termination/cancel-contract.ts'
import type { Form } from '../../pages/form.ts'
import { html } from '../../pages/html.ts'
import { confirmPage } from '../../pages/lists.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { endingInWords, figuresOf, requireFigures } from './ending.ts'

const text = words.cancel

/**
 * Withdrawing before the contract takes effect, and cancelling within the 14 days after (CCR 2013, regs. 29 to 34):
 * what it costs is shown before the button, and no reason is asked for.
 */
export const cancelPage: TenantPage = {
  name: 'cancel',
  needs: 'code',
  when: 'after signing',
  async show(visit) {
    const { contract, path } = visit
    if (contract === null) return { goTo: path('home') }
    const isWithdrawal = contract.status === 'agreed'
    // Also says whether they still can.
    const ended = await cancel(visit)
    const title = isWithdrawal ? text.withdrawTitle : text.title
    const lastDay = lastDayToCancel(contract)
    const intro =
      lastDay === null
        ? text.withdrawIntro
        : lastDay < londonDate(visit.caller.now)
          ? text.introUnconfirmed
          : text.intro(dayInWords(lastDay))
    const isShared = visit.quote.tenants.length > 1
    const others = isWithdrawal ? text.withdrawOthers : text.others
    return confirmPage(visit, {
      title,
      back: path('home'),
      consequences: html`<p>${intro}${isShared ? ` ${others}` : ''}</p>${isWithdrawal ? null : html`<h2>${text.owed}</h2>${endingInWords(ended)}`}`,
      figures: figuresOf(ended),
      button: isWithdrawal ? text.withdrawButton : text.button,
      stay: { text: text.stay, path: path('home') },
    })
  },
  async submit(visit, form) {
    const { contract } = await cancel(visit, form)
    return contract.endReason === 'withdrawn'
      ? { goTo: visit.path('welcome'), notice: 'withdrawn' }
      : { goTo: visit.path('home'), notice: 'cancelled' }
  },
}

/** Cancels the contract if the tenant was shown what that costs; without a form, only works it out. */
function cancel({ deps, caller, customerId }: Visit, form?: Form) {
  return cancelContract(deps, caller, customerId, {
    dryRun: form === undefined,
    require: form === undefined ? undefined : (ended) => requireFigures(form, ended),
    sentOn: undefined,
    informedOn: undefined,
  })
}

import { cancellableUntil } from '../../contracts/contract.ts'
import { cancelContract } from '../../contracts/termination/cancel-contract.ts'
import { html } from '../../platform/http/pages/html.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formOf } from '../layout/page.ts'
import type { TenantPage, Visit } from '../visit.ts'
import { words } from '../words.ts'
import { endingInWords } from './ending.ts'

const text = words.cancel

/**
 * Withdrawing before the contract takes effect, and cancelling within the 14 days after (CCR 2013, regs. 29 to 34): what
 * it costs is shown before the button, and no reason is asked for.
 */
export const cancelPage: TenantPage = {
  name: 'cancel',
  needs: 'code',
  when: 'after signing',
  async show(visit) {
    const { contract, session, path } = visit
    if (contract === null) return { goTo: path('home') }
    const isWithdrawal = contract.status === 'agreed'
    // Also says whether they still can.
    const ended = await cancel(visit, true)
    const title = isWithdrawal ? text.withdrawTitle : text.title
    const until = cancellableUntil(contract)
    const intro = isWithdrawal || until === null ? text.withdrawIntro : text.intro(dayInWords(londonDate(until)))
    return {
      title,
      back: path('home'),
      body: html`<h1>${title}</h1><p>${intro}</p>${isWithdrawal ? null : html`<h2>${text.owed}</h2>${endingInWords(ended)}`}
${formOf(session.formToken, html``, isWithdrawal ? text.withdrawButton : text.button)}
<p><a href="${path('home')}">${text.stay}</a></p>`,
    }
  },
  async submit(visit) {
    const isWithdrawal = visit.contract?.status === 'agreed'
    await cancel(visit, false)
    return isWithdrawal ? `${visit.path('welcome')}?notice=withdrawn` : `${visit.path('home')}?notice=cancelled`
  },
}

function cancel({ deps, caller, customerId }: Visit, dryRun: boolean) {
  return cancelContract(deps, caller, customerId, {
    dryRun,
    reason: undefined,
    sentOn: undefined,
    informedOn: undefined,
  })
}

import { isBinding } from '../../contracts/contract.ts'
import type { DocumentFormat } from '../../contracts/document-renderer.ts'
import { contractUrl } from '../../contracts/links/contract-url.ts'
import { loadScheduledPayments, type Schedule } from '../../contracts/preview/scheduled-payments.ts'
import { type Html, html } from '../../pages/html.ts'
import { londonDate } from '../../platform/kernel/dates.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { hasEnergy, hasSigned, isPrepaid, pathToGoOn } from './steps.ts'

const text = words.done

/** What happens after signing, until the contract is in force. */
export const donePage: TenantPage = {
  name: 'done',
  needs: 'code',
  when: 'always',
  async show(visit) {
    if (!hasSigned(visit)) return { goTo: pathToGoOn(visit) }
    const { contract, path, quote } = visit
    if (contract !== null && !isBinding(contract)) return { goTo: path('home') }
    const { payments } = await scheduleOf(visit)
    const [first] = payments
    // Broadband alone can begin later than the contract.
    const start = (contract?.price ?? quote.price)?.lines.map(({ startDate }) => startDate).sort()[0]
    const isPending = contract?.status === 'agreed'
    const state = isPending ? waiting(visit) : html`<p>${text.inForce}</p>`
    // Who takes over a share moves into a home that we supply already.
    const isNewSupply = hasEnergy(visit) && quote.takingOver === undefined
    return {
      title: text.title,
      body: html`<h1>${text.title}</h1><div class="notice good">${state}</div>
<h2>${text.nextTitle}</h2>
<ul>${start === undefined ? null : html`<li>${text.starts(start)}</li>`}
${start === undefined || !isNewSupply ? null : html`<li>${text.untilThen(start, quote.tenants.length)}</li>`}
${first === undefined || first.amount === 0 ? null : html`<li>${text.payment(first.amount, first.date, payments.length)}</li>`}
${hasEnergy(visit) ? html`<li>${text.readings}</li>` : null}${isPrepaid(visit) ? html`<li>${words.doNotTopUp}</li>` : null}<li>${isPending ? text.mailOnceInForce : text.mail}</li></ul>
<nav class="menu" aria-label="${text.nextTitle}"><ul>
<li><a href="${path('contract-html')}">${text.contract}</a></li>
<li><a href="${path('contract-pdf')}">${text.contractPdf}</a></li>
<li><a href="${path('calendar.ics')}">${text.calendar}</a></li>
${isPending ? html`<li><a href="${path('household')}">${text.household}</a></li>` : null}
<li><a href="${path('home')}">${words.home.menu}</a></li>
</ul></nav>`,
    }
  },
}

function waiting({ quote }: Visit): Html {
  const missing = quote.tenants.filter(({ status }) => status !== 'OnboardingComplete')
  const names = missing.map(({ personal }) => personal.firstName).join(', ')
  return html`<p>${text.waits(names)}</p>${quote.lockedUntil === null ? null : html`<p>${text.waitsUntil(londonDate(quote.lockedUntil))}</p>`}`
}

/** The payments of the tenant's contract, and what they are paid back. */
export async function scheduleOf({ deps, caller, quote, customer, contract }: Visit): Promise<Schedule> {
  const price = contract?.price ?? quote.price
  if (price === null) return { payments: [], refund: null, refunds: [] }
  return loadScheduledPayments(deps.db, { ...deps, quote, price, customer, now: caller.now })
}

/** The contract at an address of its own, which works for a short time. */
function contractPage(format: DocumentFormat): TenantPage {
  return {
    name: `contract-${format}`,
    needs: 'code',
    when: 'after signing',
    async show({ deps, caller, customerId, contract }) {
      const found = await contractUrl(deps, caller, { customerId, contractNumber: contract?.contractNumber, format })
      return { goTo: format === 'html' ? found.pageUrl : found.contractUrl }
    },
  }
}

export const contractPages = [contractPage('html'), contractPage('pdf')]

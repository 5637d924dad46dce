import type { DocumentFormat } from '../../contracts/document-renderer.ts'
import { previewUrl } from '../../contracts/links/contract-url.ts'
import { printable } from '../../contracts/printable.ts'
import { getPaymentSchedules } from '../../onboarding/payment-schedules.ts'
import { type Html, html } from '../../pages/html.ts'
import { dataTable } from '../../pages/lists.ts'
import { dayInWords } from '../../platform/kernel/in-words.ts'
import { formatPounds, sumPence } from '../../platform/kernel/money.ts'
import type { TenantPage, Visit } from '../tenant-visit.ts'
import { words } from '../words.ts'
import { hasEnergy, pathAfter, pathBefore, pathFirst, progressOf } from './steps.ts'

const text = words.payments

/** What the tenant pays and when, in words and as a table, and the draft to read. */
export const paymentsPage: TenantPage = {
  name: 'payments',
  needs: 'link',
  when: 'before signing',
  async show(visit) {
    const first = pathFirst(visit)
    if (first !== undefined) return { goTo: first }
    const schedule = await getPaymentSchedules(visit.deps, visit.caller, visit.customerId)
    return {
      title: text.title,
      progress: progressOf(visit, 'payments'),
      back: pathBefore(visit, 'payments'),
      body: html`<h1>${text.title}</h1>${planInWords(schedule)}${planTable(schedule)}<p>${text.fixed}${hasEnergy(visit) ? ` ${text.fixedMetered}` : null}</p>
<h2>${text.previewHeading}</h2><p>${text.preview}</p>${previewLinks(visit)}
${hasEnergy(visit) ? html`<p><a href="${visit.path('extra-help')}">${text.needsLink}</a></p>` : null}
${hasHousemates(visit) ? html`<p><a href="${visit.path('household')}">${words.done.household}</a></p>` : null}
<p><a class="button" href="${pathAfter(visit, 'payments')}">${words.continue}</a></p>`,
    }
  },
}

/** Whether the tenant shares the bills with others who have still to sign. */
function hasHousemates({ quote }: Visit): boolean {
  return quote.tenants.length > 1 && quote.takingOver === undefined
}

type Plan = Pick<Awaited<ReturnType<typeof getPaymentSchedules>>, 'payments' | 'share'>

function planInWords({ payments, share }: Plan): Html {
  const [first] = payments
  const last = payments.at(-1)
  if (first === undefined || last === undefined) return html``
  const isMore = first.amount > share.monthlyCost + 1
  return html`<p>${text.planIntro(share, payments.length, first.date, last.date)}${
    isMore
      ? ` ${text.firstMore(first.amount, printable(first.description).replace(/^Set-up/, 'set-up'), payments.length)}`
      : ''
  }</p>`
}

function planTable({ payments }: Plan): Html {
  return dataTable(
    {
      caption: text.caption,
      columns: [
        { heading: text.day, cell: ({ date }) => dayInWords(date) },
        { heading: text.what, cell: ({ description }) => printable(description) },
        { heading: text.amount, cell: ({ amount }) => formatPounds(amount), holds: 'figures' },
      ],
      total: [text.total, formatPounds(sumPence(payments.map(({ amount }) => amount)))],
    },
    payments,
  )
}

/** Links to the draft of the contract. */
export function previewLinks(visit: Pick<Visit, 'path'>): Html {
  return html`<ul><li><a href="${visit.path('draft-html')}">${text.previewHtml}</a></li><li><a href="${visit.path('draft-pdf')}">${text.previewPdf}</a></li></ul>`
}

/** The draft shows what the tenant has given, so it takes a code. It has an address of its own. */
function draftPage(format: DocumentFormat): TenantPage {
  return {
    name: `draft-${format}`,
    needs: 'code',
    when: 'before signing',
    async show({ deps, caller, customerId }) {
      return { goTo: (await previewUrl(deps, caller, { customerId, format })).previewUrl }
    },
  }
}

export const draftPages = [draftPage('html'), draftPage('pdf')]

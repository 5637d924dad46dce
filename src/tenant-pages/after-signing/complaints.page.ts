import { textFor } from '../../contracts/terms/conditional-text.ts'
import { html } from '../../pages/html.ts'
import { descriptionList } from '../../pages/lists.ts'
import { services } from '../../quoting/packages/services.ts'
import type { TenantPage } from '../tenant-visit.ts'
import { words } from '../words.ts'

const text = words.complaints

/** How to complain, who decides if we do not agree, and how to reach us without e-mail. */
export const complaintsPage: TenantPage = {
  name: 'complaints',
  needs: 'link',
  when: 'always',
  async show(visit) {
    const { complaints, trader } = visit.deps.operator
    const price = visit.quote.price ?? { lines: [], shares: [] }
    const bought = new Set(price.lines.map(({ type }) => services[type].contractSection))
    const schemes = [...bought].map((section) => complaints[`${section}Ombudsman`] ?? '')
    return {
      title: text.title,
      back: visit.path(''),
      body: html`<h1>${text.title}</h1>${textFor({ price }, complaints.procedure).map((each) => html`<p>${each}</p>`)}
${descriptionList([
  [text.email, html`<a href="mailto:${complaints.email}">${complaints.email}</a>`],
  [text.phone, html`<a href="tel:${complaints.phone.replaceAll(/[^\d+]/g, '')}">${complaints.phone}</a>`],
  [text.post, complaints.address.join(', ')],
])}
<h2>${text.ombudsman}</h2>${schemes.flatMap((scheme) => scheme.split('\n')).map((line) => html`<p>${line}</p>`)}
<h2>${text.without}</h2><p>${text.withoutText(trader.phone, trader.address.join(', '))}</p>
<p><a href="${visit.path('death')}">${words.death.title}</a></p>`,
    }
  },
}

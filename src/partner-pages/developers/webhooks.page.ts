import { html } from '../../pages/html.ts'
import { dataTable } from '../../pages/lists.ts'
import { listWebhooksRoute } from '../../webhooks/endpoints/webhooks.route.ts'
import type { DeveloperPage } from './developer-visit.ts'
import { disabledInWords, moment, type Webhook, webhookPath } from './in-words.ts'

const link = ({ webhookId, url }: Webhook) => html`<a href="${webhookPath(webhookId)}">${url}</a>`

const columns = [
  { heading: 'URL', cell: link },
  { heading: 'Status', cell: ({ status }: Webhook) => (status === 'active' ? 'Active' : 'Disabled') },
  { heading: 'Verification', cell: ({ verification }: Webhook) => verification },
  {
    heading: 'Health',
    cell: ({ failingSince }: Webhook) =>
      failingSince === null ? 'No failures' : html`Failing since ${moment(failingSince)}`,
  },
  { heading: 'Events', cell: ({ events }: Webhook) => events.join(', ') },
]

/** Every webhook, after a warning about any that are disabled. A partner has so few that one page shows them all. */
export const webhooksPage: DeveloperPage = {
  name: 'webhooks',
  may: 'webhooks:manage',
  async show({ call, path }) {
    const { data } = await call(listWebhooksRoute, { query: { limit: 100 } })
    const disabled = data.filter(({ status }) => status === 'disabled')
    const warning = html`<div class="notice bad"><h2>${disabled.length === 1 ? 'A webhook is disabled' : `${disabled.length} webhooks are disabled`}</h2>
${disabled.map((webhook) => html`<p>${link(webhook)}</p>${disabledInWords(webhook)}`)}
<p>What to do: fix the receiver, open the webhook and enable it, then send the events it missed.</p></div>`
    const body = html`<h1>Webhooks</h1><p>Webhooks notify your program when something changes.</p>
${disabled.length > 0 && warning}
<p><a class="button" href="${path('webhooks/new')}">Register a webhook</a></p>
${dataTable({ caption: 'Your webhooks', columns, empty: 'You have no webhooks yet.' }, data)}`
    return { title: 'Webhooks', body }
  },
}

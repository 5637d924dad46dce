import { html, nothing } from 'lit-html'
import { fieldError } from '../api/failure.ts'
import { limits } from '../api/partner-api.ts'
import type { OpenPage } from '../page.ts'
import { createActionRunner } from '../parts/action.ts'
import { createLoader } from '../parts/loader.ts'
import { type Webhook, webhookHref } from '../parts/webhook-words.ts'
import { fromDatetimeLocal, toDatetimeLocal } from '../time.ts'

const places = { '/since': { id: 'since', label: 'Since' }, '/until': { id: 'until', label: 'Before' } }

/** Asks for the time range, then replays failed and missed events. */
export const openReplayWebhook: OpenPage = (context, id) => {
  const action = createActionRunner(context)
  const reading = createLoader(context, 'the webhook', () => context.call('getWebhook', { id }))
  const asked = context.query.get('since') ?? ''
  const suggested = Number.isNaN(Date.parse(asked)) ? '' : toDatetimeLocal(asked)
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const given = new FormData(event.currentTarget)
    const moment = (name: string) => fromDatetimeLocal(String(given.get(name) ?? ''))
    void action.run(
      'Start replay',
      () => context.call('replayWebhook', { id, body: { since: moment('since'), until: moment('until') } }),
      ({ replayId }) => context.go(`/console/replays/${encodeURIComponent(replayId)}`),
    )
  }
  return {
    title: 'Replay events that failed or were missed',
    trail: [
      { href: '/console/webhooks', label: 'Webhooks' },
      { href: webhookHref(id), label: 'Webhook' },
    ],
    load: reading.load,
    view: () =>
      reading.view(
        (webhook: Webhook) => html`<form class="panel narrow" novalidate @submit=${submit}>
          ${action.problem(places)}
          <p>
            This queues every failed delivery to <code>${webhook.url}</code> again, and every event of its types that was not sent while it was disabled.
            Deliveries that succeeded or are still being retried are not affected.
          </p>
          ${webhook.status === 'disabled' ? html`<p class="fault">The webhook is disabled: <a href=${webhookHref(id)}>enable it</a> first.</p>` : nothing}
          ${field('since', 'Events since (UK time)', `At most ${limits.keptDays} days ago. If in doubt, choose an earlier time. Leave this empty for all events of the last ${limits.keptDays} days.`, suggested, fieldError(action.failure(), '/since'))}
          ${field('until', 'Events before (UK time); leave empty for now', null, '', fieldError(action.failure(), '/until'))}
          <div class="buttons">
            ${action.button('Start replay', undefined, 'primary')} <a href=${webhookHref(id)}>Back</a>
          </div>
        </form>`,
      ),
  }
}

function field(name: 'since' | 'until', label: string, hint: string | null, value: string, fault: string | undefined) {
  return html`<div class="field">
    <label for=${name}>${label}</label>
    ${hint === null ? nothing : html`<p class="hint" id=${`${name}-hint`}>${hint}</p>`}
    ${fault === undefined ? nothing : html`<p class="fault" id=${`${name}-fault`}>${fault}</p>`}
    <input
      id=${name}
      name=${name}
      type="datetime-local"
      step="1"
      value=${value}
      aria-invalid=${fault === undefined ? nothing : 'true'}
      aria-describedby=${fault === undefined ? (hint === null ? nothing : `${name}-hint`) : `${name}-fault`}
    />
  </div>`
}

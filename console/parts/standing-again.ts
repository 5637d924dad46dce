import { html, nothing, type TemplateResult } from 'lit-html'
import type { PageContext } from '../page.ts'
import { withinKeptDays } from '../time.ts'
import type { Action } from './action.ts'
import { moment } from './moment.ts'
import { disabledInWords, type Webhook, webhookHref } from './webhook-words.ts'

/** In the page's query once a webhook was enabled: since when it missed something. So the offer outlives a reload. */
const missedSince = 'missed-since'

/** That a webhook is disabled, since when, why, and the way back. */
export function disabledBanner(context: PageContext, action: Action, webhook: Webhook): TemplateResult {
  const { webhookId } = webhook
  const since = webhook.failingSince ?? webhook.disabledAt ?? webhook.createdAt
  const enable = () =>
    void action.run(
      'Enable again',
      () => context.call('updateWebhook', { id: webhookId, body: { status: 'active' } }),
      () =>
        context.go(`${webhookHref(webhookId)}?${new URLSearchParams({ [missedSince]: since })}`, {
          replace: true,
          notice: { text: 'Enabled. Events that happen from now on are sent.' },
        }),
    )
  return html`<section class="alarm" aria-labelledby="disabled">
    <h2 id="disabled">This webhook is disabled</h2>
    ${disabledInWords(webhook)}
    <p>
      What to do: put the receiver right (<a href=${`${webhookHref(webhookId, 'deliveries')}?status=failed`}
        >the failed deliveries</a
      >
      say what it answered), enable the webhook, then have sent what it missed.
    </p>
    <div class="buttons">${action.button('Enable again', enable, 'primary')}</div>
  </section>`
}

/** After it was enabled: to send again what it missed. Nothing for a webhook that was not enabled just now. */
export function missedOffer(
  context: PageContext,
  action: Action,
  { webhookId }: Webhook,
): TemplateResult | typeof nothing {
  const given = context.query.get(missedSince) ?? ''
  if (Number.isNaN(Date.parse(given))) return nothing
  const since = withinKeptDays(given)
  const replay = () =>
    void action.run(
      'Send what was missed',
      () => context.call('replayWebhook', { id: webhookId, body: { since } }),
      ({ replayId }) => context.go(`/console/replays/${encodeURIComponent(replayId)}`),
    )
  return html`<section class="panel important" aria-labelledby="missed">
    <h2 id="missed">Send what it missed?</h2>
    <p>
      Since ${moment(since)} deliveries failed or were not sent at all. They can be sent now, in the order of each quote and under the
      <code>webhook-id</code> they always had. What arrived is left alone.
    </p>
    <div class="buttons">
      ${action.button('Send what was missed', replay, 'primary')}
      <a href=${`${webhookHref(webhookId, 'replay')}?${new URLSearchParams({ since })}`}>Choose another time</a>
    </div>
  </section>`
}

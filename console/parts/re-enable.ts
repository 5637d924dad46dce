import { html, nothing, type TemplateResult } from 'lit-html'
import { limits } from '../api/partner-api.ts'
import type { PageContext } from '../page.ts'
import { clampToRetentionPeriod } from '../time.ts'
import type { ActionRunner } from './action.ts'
import { moment } from './moment.ts'
import { disabledInWords, type Webhook, webhookHref } from './webhook-words.ts'

/**
 * The query parameter that says since when a re-enabled webhook has missed events. It is in the URL, so it survives a
 * reload.
 */
const missedSince = 'missed-since'
const hourMs = 3_600_000

/** A banner for a disabled webhook: when and why it was disabled, and a button to enable it. */
export function disabledBanner(context: PageContext, action: ActionRunner, webhook: Webhook): TemplateResult {
  const { webhookId } = webhook
  const since = webhook.failingSince ?? webhook.disabledAt ?? webhook.createdAt
  const enable = () =>
    void action.run(
      'Enable',
      () => context.call('updateWebhook', { id: webhookId, body: { status: 'active' } }),
      () =>
        context.go(`${webhookHref(webhookId)}?${new URLSearchParams({ [missedSince]: since })}`, {
          replace: true,
          notice: { text: 'Enabled. New events are sent from now on.' },
        }),
    )
  return html`<section class="alarm" aria-labelledby="disabled">
    <h2 id="disabled">This webhook is disabled</h2>
    ${disabledInWords(webhook)}
    <p>
      What to do: fix the receiver (<a href=${`${webhookHref(webhookId, 'deliveries')}?status=failed`}
        >the failed deliveries</a
      >
      show how it responded), enable the webhook, then send the events it missed.
    </p>
    <div class="buttons">${action.button('Enable', enable, 'primary')}</div>
  </section>`
}

/** Offers to replay what a webhook has missed, if it has just been enabled. */
export function replayOffer(
  context: PageContext,
  action: ActionRunner,
  { webhookId }: Webhook,
): TemplateResult | typeof nothing {
  const given = context.query.get(missedSince) ?? ''
  if (Number.isNaN(Date.parse(given))) return nothing
  // Starts an hour earlier, because an event is older than its first failed attempt.
  const from = clampToRetentionPeriod(new Date(Date.parse(given) - hourMs).toISOString())
  const replay = () =>
    void action.run(
      'Send missed events',
      () => context.call('replayWebhook', { id: webhookId }),
      ({ replayId }) => context.go(`/console/replays/${encodeURIComponent(replayId)}`),
    )
  return html`<section class="panel important" aria-labelledby="missed">
    <h2 id="missed">Send the events it missed?</h2>
    <p>
      Since ${moment(given)}, deliveries failed or were not sent. You can now send all messages of the last ${limits.keptDays} days that were not delivered.
      They keep their order within each quote and their <code>webhook-id</code>. Messages that were delivered are not sent again.
    </p>
    <div class="buttons">
      ${action.button('Send missed events', replay, 'primary')}
      <a href=${`${webhookHref(webhookId, 'replay')}?${new URLSearchParams({ since: from })}`}>Choose a start time</a>
    </div>
  </section>`
}

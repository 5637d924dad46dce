import Type, { type Static } from 'typebox'

/** How the simulator delivers its events from now on, to rehearse what a real processor's webhooks may do. */
export const WebhookMode = Type.Object(
  {
    /** How long after the change an event is sent. */
    delayMs: Type.Integer({ minimum: 0, maximum: 600_000, default: 0 }),
    /** How often each event is sent: from 2 on the receiver sees duplicates. */
    copies: Type.Integer({ minimum: 1, maximum: 5, default: 1 }),
    /** `reversed` gathers the events of one delay (at least half a second) and sends the newest first. */
    order: Type.Union([Type.Literal('sent'), Type.Literal('reversed')], { default: 'sent' }),
    /** True: events are never sent. */
    lost: Type.Boolean({ default: false }),
  },
  { additionalProperties: false },
)
export type WebhookMode = Static<typeof WebhookMode>

export const promptDelivery: WebhookMode = { delayMs: 0, copies: 1, order: 'sent', lost: false }

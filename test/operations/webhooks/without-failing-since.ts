/**
 * The webhook without `failingSince`, which the worker may have set by now: nobody listens where these webhooks lead, so their
 * challenge fails sooner or later.
 */
export function withoutFailingSince<Webhook extends { failingSince: unknown }>(
  webhook: Webhook,
): Omit<Webhook, 'failingSince'> {
  const { failingSince: _movesByItself, ...rest } = webhook
  return rest
}

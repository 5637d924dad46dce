/**
 * The webhook without `failingSince`, which the worker may set at any time because nothing listens at these test URLs.
 */
export function withoutFailingSince<Webhook extends { failingSince: unknown }>(
  webhook: Webhook,
): Omit<Webhook, 'failingSince'> {
  const { failingSince: _movesByItself, ...rest } = webhook
  return rest
}

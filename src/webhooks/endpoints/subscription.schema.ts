import Type, { type TSchema } from 'typebox'
import { eventTypes } from '../../events/event.ts'
import { documentedAs } from '../../platform/http/schemas/named.ts'
import { bodyValidator } from '../../platform/http/validation.ts'
import type { FieldError } from '../../platform/kernel/errors.ts'
import { EventTypeName } from '../event.schema.ts'
import { maxWebhookUrlLength, parseWebhookUrl } from '../sender/webhook-target.ts'
import { checkEvents, unknownEventErrors } from './subscription.ts'

/** The fields that a registration sets and an update may change. */
export const subscriptionFields = {
  url: Type.String({
    minLength: 1,
    maxLength: maxWebhookUrlLength,
    description: 'An HTTPS URL that is publicly reachable.',
  }),
  // An empty list is an invalid value (422), not a wrong shape: `checkEvents` reports it.
  events: documentedAs(
    Type.Array(Type.String({ maxLength: 100 }), { maxItems: eventTypes.length }),
    Type.Array(EventTypeName, {
      minItems: 1,
      maxItems: eventTypes.length,
      uniqueItems: true,
      description: 'The types of the events to send to the webhook.',
    }),
  ),
}

/**
 * Creates a check that finds invalid values in a body with the wrong shape, so that both kinds of error are reported
 * together. If the shape is right, the operation checks the values and also resolves host names.
 */
export function createMalformedBodyCheck(schema: TSchema): (body: unknown) => FieldError[] {
  const validate = bodyValidator(schema)
  return (body) => {
    if (validate(body).length === 0) return []
    const { url, events } = (body ?? {}) as Record<string, unknown>
    const isOfLength = typeof url === 'string' && url !== '' && url.length <= maxWebhookUrlLength
    const rejection = isOfLength ? parseWebhookUrl(url).rejection : undefined
    const ofUrl =
      rejection === undefined ? [] : [{ pointer: '/url', code: 'webhook_url_not_allowed', detail: rejection }]
    const none = Array.isArray(events) && events.length === 0 ? checkEvents([]).errors : []
    return [...ofUrl, ...none, ...unknownEventErrors(events)]
  }
}

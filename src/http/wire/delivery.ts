import Type, { type Static } from 'typebox'
import {
  type AttemptOutline,
  type Delivery,
  type DeliveryPosition,
  type DeliveryWithAttempts,
  deliveredTypes,
  deliveryStatuses,
  givenUpReasons,
  keptBodyBytes,
  waitReasons,
} from '../../domain/webhooks/delivery/delivery.ts'
import { encodeCursor, matchCursor } from './page.ts'
import { Count, Id, Text, Timestamp, timestamp, WholeNumber } from './values.ts'

const OptionalTime = (description: string) => Type.Union([Timestamp, Type.Null()], { description })

const outlineFields = {
  startedAt: Timestamp,
  durationMs: Count('Milliseconds until the response was complete or the attempt was abandoned.'),
  responseStatus: Type.Union([WholeNumber({ minimum: 100, maximum: 999 }), Type.Null()], {
    description: 'The HTTP status of the response; null if there was none.',
  }),
  error: Type.Union([Text(1_000), Type.Null()], {
    description: 'A description of what went wrong; null if nothing did.',
  }),
}

export const DeliveryStatusName = Type.Enum([...deliveryStatuses], { type: 'string' })
export const DeliveredTypeName = Type.Enum([...deliveredTypes], { type: 'string' })

export const deliveryFields = {
  deliveryId: Id(),
  webhookId: Id(),
  messageId: Id("The id in the `webhook-id` header and in the body. For an event, this is the event's id."),
  eventType: DeliveredTypeName,
  quoteId: Type.Union([Id(), Type.Null()], {
    description: 'The quote the event is about; null for verification and test messages.',
  }),
  status: DeliveryStatusName,
  attemptCount: Count('The number of attempts that have ended.'),
  createdAt: Timestamp,
  nextAttemptAt: OptionalTime(
    'When the next attempt is due; null if there is none, an attempt is in progress, or the delivery is waiting for an earlier event of its quote.',
  ),
  finishedAt: OptionalTime('When the delivery succeeded or failed for good; null while it is pending.'),
  waitingFor: Type.Union([Type.Enum([...waitReasons], { type: 'string' }), Type.Null()], {
    description:
      'What a pending delivery is waiting for; null unless it is pending. `answer`: an attempt is in progress or about to start. `retry`: the next attempt is at `nextAttemptAt`. `earlier_event`: the first attempt at an earlier event of its quote has not ended. `turn`: the delivery is due and is sent as soon as there is capacity or, if verification is required, once the webhook is verified.',
  }),
  givenUpBecause: Type.Union([Type.Enum([...givenUpReasons], { type: 'string' }), Type.Null()], {
    description:
      'Why the delivery failed for good; null unless it has failed. `challenge_replaced`: a newer challenge was sent, or the URL was changed.',
  }),
  lastAttempt: Type.Union([Type.Object(outlineFields, { additionalProperties: false }), Type.Null()]),
}
const DeliveryObject = Type.Object(deliveryFields)

export const Attempt = Type.Object(
  {
    attemptNumber: Count('The number of the attempt, starting at 1.'),
    ...outlineFields,
    requestHeaders: Type.Record(Type.String(), Text(1_000), {
      description:
        'The headers as sent, including the signature. The signature is not a secret: it is only valid for this body and time.',
    }),
    responseBody: Type.Union([Text(4_096), Type.Null()], {
      description: `The first ${keptBodyBytes / 1_024} KiB of the response body; null if there was no response.`,
    }),
  },
  { additionalProperties: false },
)

export function presentDelivery(delivery: Delivery): Static<typeof DeliveryObject> {
  const { deliveryId, webhookId, messageId, type, quoteId, status, attemptCount, lastAttempt } = delivery
  return {
    deliveryId,
    webhookId,
    messageId,
    eventType: type,
    quoteId,
    status,
    attemptCount,
    createdAt: timestamp(delivery.createdAt),
    nextAttemptAt: delivery.nextAttemptAt && timestamp(delivery.nextAttemptAt),
    finishedAt: delivery.finishedAt && timestamp(delivery.finishedAt),
    waitingFor: delivery.waitingFor,
    givenUpBecause: delivery.givenUpBecause,
    lastAttempt: lastAttempt && presentOutline(lastAttempt),
  }
}

export function presentAttempts({ attempts }: DeliveryWithAttempts): Static<typeof Attempt>[] {
  return attempts.map((attempt) => ({
    attemptNumber: attempt.attemptNumber,
    ...presentOutline(attempt),
    requestHeaders: attempt.requestHeaders,
    responseBody: attempt.responseBody,
  }))
}

function presentOutline({ startedAt, durationMs, responseStatus, error }: AttemptOutline) {
  return { startedAt: timestamp(startedAt), durationMs, responseStatus, error }
}

export function deliveryCursor(place: DeliveryPosition | null): string | null {
  return encodeCursor(place && `${place.createdMicros}.${place.deliveryId}`)
}

/** Throws `validation_failed` for a cursor of another list. */
export function positionFromCursor(cursor: string | undefined): DeliveryPosition | undefined {
  if (cursor === undefined) return undefined
  const [, createdMicros = '', suffix = ''] = matchCursor(cursor, /^(\d{1,16})\.delivery_([0-9a-z]{26})$/)
  return { createdMicros, deliveryId: `delivery_${suffix}` }
}

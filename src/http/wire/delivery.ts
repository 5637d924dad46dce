import Type, { type Static } from 'typebox'
import {
  type AttemptOutline,
  type Delivery,
  type DeliveryPlace,
  type DeliveryWithAttempts,
  deliveredTypes,
  deliveryStatuses,
  givenUpReasons,
  waits,
} from '../../domain/webhooks/delivery.ts'
import { cursorOf, matchCursor } from './page.ts'
import { Count, Id, Text, Timestamp, timestamp, Whole } from './values.ts'

const OptionalTime = (description: string) => Type.Union([Timestamp, Type.Null()], { description })

const outlineFields = {
  startedAt: Timestamp,
  durationMs: Count('until the answer was complete, or given up'),
  responseStatus: Type.Union([Whole({ minimum: 100, maximum: 999 }), Type.Null()], {
    description: 'null where no answer came',
  }),
  error: Type.Union([Text(1_000), Type.Null()], { description: 'what went wrong, in words; null where nothing did' }),
}

export const DeliveryStatusName = Type.Enum([...deliveryStatuses], { type: 'string' })
export const DeliveredTypeName = Type.Enum([...deliveredTypes], { type: 'string' })

export const deliveryFields = {
  deliveryId: Id(),
  webhookId: Id(),
  messageId: Id("the webhook-id header and the body's id; for an event, the event's id"),
  eventType: DeliveredTypeName,
  quoteId: Type.Union([Id(), Type.Null()], { description: "null for a message of the webhook's own" }),
  status: DeliveryStatusName,
  attemptCount: Count('how many attempts have ended'),
  createdAt: Timestamp,
  nextAttemptAt: OptionalTime(
    'null where none follows, one is under way, or it waits for an earlier event of its quote',
  ),
  finishedAt: OptionalTime('when it arrived or was given up; null while pending'),
  waitingFor: Type.Union([Type.Enum([...waits], { type: 'string' }), Type.Null()], {
    description:
      'null unless pending; `answer`: an attempt is under way, or about to be; `retry`: until nextAttemptAt; `earlier_event`: until the first attempt at an earlier event of its quote has ended; `turn`: due, and sent as soon as there is room, or the webhook is verified where that is required',
  }),
  givenUpBecause: Type.Union([Type.Enum([...givenUpReasons], { type: 'string' }), Type.Null()], {
    description: 'null unless failed; `challenge_replaced`: by a newer challenge, or as the URL was changed',
  }),
  lastAttempt: Type.Union([Type.Object(outlineFields, { additionalProperties: false }), Type.Null()]),
}
const DeliveryObject = Type.Object(deliveryFields)

export const Attempt = Type.Object(
  {
    attemptNumber: Count('from 1'),
    ...outlineFields,
    requestHeaders: Type.Record(Type.String(), Text(1_000), {
      description: 'as they were sent, with the signature: it is good for this body and moment only, and no secret',
    }),
    responseBody: Type.Union([Text(4_096), Type.Null()], {
      description: 'the first 4 KiB; null where no answer came',
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

export function deliveryCursor(place: DeliveryPlace | null): string | null {
  return cursorOf(place && `${place.createdMicros}.${place.deliveryId}`)
}

/** Throws `validation_failed` for a cursor this list did not hand out. */
export function placeFromCursor(cursor: string | undefined): DeliveryPlace | undefined {
  if (cursor === undefined) return undefined
  const [, createdMicros = '', deliveryId = ''] = matchCursor(cursor, /^(\d{1,16})\.(delivery_[0-9a-z]{26})$/)
  return { createdMicros, deliveryId }
}

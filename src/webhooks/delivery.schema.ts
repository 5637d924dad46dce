import Type, { type Static } from 'typebox'
import { described, NamedChoice, Nullable, ResponseObject } from '../platform/http/schemas/named.ts'
import { encodeCursor, matchCursor } from '../platform/http/schemas/page.ts'
import { Count, Id, presentAs, Text, Timestamp, WholeNumber } from '../platform/http/schemas/values.ts'
import {
  type Delivery,
  type DeliveryPosition,
  type DeliveryWithAttempts,
  deliveredTypes,
  deliveryStatuses,
  givenUpReasons,
  keptBodyBytes,
  waitReasons,
} from './delivery/delivery.ts'

const outlineFields = {
  startedAt: Timestamp('When the attempt started.'),
  durationMs: Count('Milliseconds until the response was complete or the attempt was abandoned.'),
  responseStatus: Nullable(
    WholeNumber({
      minimum: 100,
      maximum: 999,
      description: 'The HTTP status of the response; null if there was none.',
    }),
  ),
  error: Nullable(Text(1_000, 'A description of what went wrong; null if nothing did.')),
}

const AttemptOutlineObject = ResponseObject(
  'AttemptOutline',
  'When an attempt was made, and its outcome.',
  outlineFields,
)

export const DeliveryStatusName = NamedChoice(
  'DeliveryStatus',
  deliveryStatuses,
  '`pending`, `delivered`, or `failed` if no attempt will follow.',
)
export const DeliveredTypeName = NamedChoice(
  'MessageType',
  deliveredTypes,
  'The type of a message: an event, or a message about the webhook itself. New types may be added.',
)

const WaitReasonName = NamedChoice(
  'DeliveryWaitReason',
  waitReasons,
  'What a delivery is waiting for. `answer`: an attempt is in progress or about to start. `retry`: the next attempt is at `nextAttemptAt`. `earlier_event`: the first attempt at an earlier event of its quote has not ended. `turn`: the delivery is due and is sent as soon as there is capacity and the webhook is verified.',
)
const GivenUpReasonName = NamedChoice(
  'DeliveryFailureReason',
  givenUpReasons,
  'Why a delivery failed for good. `challenge_replaced`: a newer challenge was sent, or the URL was changed.',
)

export const deliveryFields = {
  deliveryId: Id('The id of the delivery.'),
  webhookId: Id('The id of the webhook.'),
  messageId: Id("The id in the `webhook-id` header and in the body. For an event, this is the event's id."),
  eventType: DeliveredTypeName,
  quoteId: Nullable(Id('The quote the event is about; null for verification and test messages.')),
  status: DeliveryStatusName,
  attemptCount: Count('The number of attempts that have ended.'),
  createdAt: Timestamp('When the message was queued.'),
  nextAttemptAt: Nullable(
    Timestamp(
      'When the next attempt is due; null if there is none, an attempt is in progress, or the delivery is waiting for an earlier event of its quote.',
    ),
  ),
  finishedAt: Nullable(Timestamp('When the delivery succeeded or failed for good; null while it is pending.')),
  waitingFor: Nullable(described(WaitReasonName, 'What a pending delivery is waiting for; null unless it is pending.')),
  givenUpBecause: Nullable(
    described(GivenUpReasonName, 'Why the delivery failed for good; null unless it has failed.'),
  ),
  lastAttempt: Nullable(described(AttemptOutlineObject, 'The latest attempt; null before the first one has ended.')),
}

export const DeliveryObject = ResponseObject(
  'Delivery',
  'A message to a webhook and the state of its delivery.',
  deliveryFields,
)

export const Attempt = ResponseObject('Attempt', 'An attempt to deliver a message: what was sent and received.', {
  attemptNumber: Count('The number of the attempt, starting at 1.'),
  ...outlineFields,
  requestHeaders: Type.Unsafe<Record<string, string>>({
    type: 'object',
    additionalProperties: Text(1_000, "The header's value."),
    description:
      'The headers as sent, including the signature. The signature is not a secret: it is only valid for this body and time.',
  }),
  responseBody: Nullable(
    Text(4_096, `The first ${keptBodyBytes / 1_024} KiB of the response body; null if there was no response.`),
  ),
})

export function presentDelivery({ type, lastAttempt, ...delivery }: Delivery): Static<typeof DeliveryObject> {
  return presentAs(DeliveryObject, {
    ...delivery,
    eventType: type,
    lastAttempt: lastAttempt && presentAs(AttemptOutlineObject, lastAttempt),
  })
}

export function presentAttempts({ attempts }: DeliveryWithAttempts): Static<typeof Attempt>[] {
  return attempts.map((attempt) => presentAs(Attempt, attempt))
}

export function deliveryCursor(position: DeliveryPosition | null): string | null {
  return encodeCursor(position && `${position.createdMicros}.${position.deliveryId}`)
}

/** Throws `validation_failed` for a cursor of another list. */
export function positionFromCursor(cursor: string | undefined): DeliveryPosition | undefined {
  if (cursor === undefined) return undefined
  const [, createdMicros = '', suffix = ''] = matchCursor(cursor, /^(\d{1,16})\.delivery_([0-9a-z]{26})$/)
  return { createdMicros, deliveryId: `delivery_${suffix}` }
}

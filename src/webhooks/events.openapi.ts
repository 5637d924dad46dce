import type { TObject } from 'typebox'
import { eventCatalogue, eventTypes } from '../events/event.ts'
import { RequestObject } from '../platform/http/schemas/named.ts'
import { Id, Text } from '../platform/http/schemas/values.ts'
import { shown } from '../platform/openapi/examples.ts'
import type { DocumentParts } from '../platform/openapi/operation.ts'
import type { SchemaWriter } from '../platform/openapi/schema-writer.ts'
import { timeInWords } from '../platform/openapi/time-in-words.ts'
import { attemptTimeoutMs, verificationTimeoutMs, verificationType } from './delivery/response-outcome.ts'
import { eventSchemas, messageSchema } from './event.schema.ts'

const signed =
  'Signed according to Standard Webhooks, over the exact bytes of the body. Delivered at least once: a repeated delivery has the same `webhook-id`. Ignore fields and event types you do not know.'

const WebhookVerification = messageSchema(verificationType, 'Asks the receiver to return the challenge', {
  webhookId: Id('The id of the webhook.'),
  challenge: Text(100, 'The challenge to return in your response.'),
})

const VerificationResponse = RequestObject('WebhookVerificationResponse', "The receiver's response to a challenge.", {
  challenge: Text(100, 'The challenge of the message.'),
})

/** A message that webhooks get, with the schema that `messageSchema` makes. */
export interface DescribedMessage {
  type: string
  summary: string
  schema: TObject
  /** If absent, the recorded one. */
  example?: unknown
}

const partnerMessages: readonly DescribedMessage[] = eventTypes.map((type) => ({
  type,
  summary: eventCatalogue[type].summary,
  schema: eventSchemas[type],
}))

/**
 * The document's `webhooks`: the messages we send. Their schemas are open, because members may be added; the members
 * listed are always present, in this order. `retrySeconds` are the pauses between attempts.
 */
export function describeWebhookMessages(
  { writer, examples }: DocumentParts,
  retrySeconds: readonly number[],
  messages = partnerMessages,
): Record<string, unknown> {
  const message = messageRetriedAfter(writer, retrySeconds)
  const { data } = (examples.messages[verificationType] ?? {}) as { data?: { challenge: string } }

  const events = messages.map(({ type, summary, schema, example }) => [
    type,
    message(type, {
      summary,
      schema,
      example: example ?? examples.messages[type],
      accepted: {
        description: `The event was received. Respond within ${timeInWords(attemptTimeoutMs / 1_000)}; the response body is ignored.`,
      },
    }),
  ])
  const verification = message(verificationType, {
    summary: 'Verify that a webhook is yours',
    schema: WebhookVerification,
    example: examples.messages[verificationType],
    accepted: {
      description: `Respond within ${timeInWords(verificationTimeoutMs / 1_000)} with the challenge, as JSON or plain text.`,
      content: {
        'application/json': {
          schema: writer.write(VerificationResponse),
          ...shown(data && { challenge: data.challenge }),
        },
        'text/plain': { schema: { type: 'string', maxLength: 65_536 }, ...shown(data?.challenge) },
      },
    },
  })
  return Object.fromEntries([...events, [verificationType, verification]])
}

interface MessageDocument {
  summary: string
  schema: TObject
  example: unknown
  /** Describes a 2xx response. */
  accepted: object
}

function messageRetriedAfter(writer: SchemaWriter, retrySeconds: readonly number[]) {
  const retried = `The attempt failed. It is retried for about ${timeInWords(retrySeconds.reduce((sum, pause) => sum + pause, 0))}`
  return (type: string, { summary, schema, example, accepted }: MessageDocument): unknown => ({
    post: {
      operationId: `receive-${type}`,
      tags: ['Webhooks'],
      summary,
      description: signed,
      security: [],
      parameters: signatureHeaders,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: writer.write(schema), ...shown(example) } },
      },
      responses: {
        '2XX': accepted,
        '3XX': { description: 'The attempt failed. Redirects are not followed.' },
        '410': { description: 'You no longer want messages. The webhook is disabled immediately.' },
        '4XX': { description: `${retried}.` },
        '5XX': {
          description: `${retried}. Send Retry-After to delay the next attempt.`,
        },
      },
    },
  })
}

const signatureHeaders = [
  header('webhook-id', "The message's id, the same for every attempt.", 'event_01m7w4kmmrf228899q5c8ptd31'),
  header('webhook-timestamp', 'The time of this attempt, in seconds since 1 January 1970 UTC.', '1795166950'),
  header(
    'webhook-signature',
    'One signature for each valid secret, separated by spaces; accept the message if any of them is correct. Each is `v1,` followed by the Base64 HMAC-SHA-256 of `id.timestamp.body`.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
]

function header(name: string, description: string, example: string): object {
  return { name, in: 'header', required: true, description, schema: { type: 'string', maxLength: 1_000 }, example }
}

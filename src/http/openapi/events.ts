import Type, { type TProperties } from 'typebox'
import type { EventType } from '../../domain/events/event.ts'
import { verificationType } from '../../domain/webhooks/message.ts'
import { envelopeFields, eventData } from '../wire/event.ts'
import { Id, Text } from '../wire/values.ts'

const signed =
  'Signed as Standard Webhooks says, over the bytes of the body. Delivered at least once: a repetition has the same webhook-id. Ignore members and types you do not know.'

const summaries: Record<EventType, string> = {
  'quote.status.changed': "A quote's status changed",
  'customer.payment.updated': "A customer's payment status changed",
  'customer.status.changed': "A customer's status changed",
}

const about = { quoteId: 'quote_01m7w4kmkrf2288963w0nq8dax', reference: 'my-ref-1' }
const ofCustomer = { customerId: 'tenant_01m7w4kmmpf2288994r3wsyr86', ...about }
const exampleData: Record<EventType, object> = {
  'quote.status.changed': { ...about, previousStatus: 'PackagesSelected', status: 'TenantsAdded' },
  'customer.payment.updated': { ...ofCustomer, previousPaymentStatus: 'setup_started', paymentStatus: 'ready' },
  'customer.status.changed': { ...ofCustomer, previousStatus: 'active', status: 'PersonalInfoComplete' },
}
const envelope = { id: 'event_01m7w4kmmrf228899q5c8ptd31' }
const exampleTime = '2026-11-20T09:29:10.041Z'

const challenge = 'HATnnXVpSsOVVhvTI5zamI_vty3_aqkf'
const verificationData = {
  webhookId: Id(),
  challenge: Text(100, 'to be echoed in the answer'),
}

/**
 * The messages we send, for the document's `webhooks`. Their schemas are open, as members may be added; those here are always
 * there, in this order.
 */
export function documentEvents(): Record<string, unknown> {
  const events = (Object.keys(summaries) as EventType[]).map((type) => [
    type,
    message(type, {
      summary: summaries[type],
      fields: { ...envelopeFields(type), data: Type.Object(eventData[type]), ...testMark },
      example: { ...envelope, type, timestamp: exampleTime, data: exampleData[type] },
      taken: { description: 'Taken in. Answer within 15 seconds; what the answer says does not matter.' },
    }),
  ])
  const verification = message(verificationType, {
    summary: 'Prove that a webhook is yours',
    fields: { ...envelopeFields(verificationType), data: Type.Object(verificationData) },
    example: {
      ...envelope,
      type: verificationType,
      timestamp: exampleTime,
      data: { webhookId: 'webhook_01m7w4m8bxf2288azk50g9wwk1', challenge },
    },
    taken: {
      description: 'Answer within 10 seconds with the challenge, as JSON or as plain text.',
      content: {
        'application/json': {
          schema: {
            type: 'object',
            required: ['challenge'],
            properties: { challenge: { type: 'string', maxLength: 100 } },
          },
          example: { challenge },
        },
        'text/plain': { schema: { type: 'string', maxLength: 65_536 }, example: challenge },
      },
    },
  })
  return Object.fromEntries([...events, [verificationType, verification]])
}

const testMark = {
  test: Type.Optional(
    Type.Literal(true, { type: 'boolean', description: 'only on a test event, whose quote and customer do not exist' }),
  ),
}

interface MessageDocument {
  summary: string
  fields: TProperties
  example: object
  /** What a 2xx says. */
  taken: object
}

function message(type: string, { summary, fields, example, taken }: MessageDocument): unknown {
  return {
    post: {
      operationId: `receive-${type}`,
      tags: ['Webhooks'],
      summary,
      description: signed,
      security: [],
      parameters: signatureHeaders,
      requestBody: {
        required: true,
        content: { 'application/json': { schema: JSON.parse(JSON.stringify(Type.Object(fields))), example } },
      },
      responses: {
        '2XX': taken,
        '3XX': { description: 'A failed attempt: redirects are never followed.' },
        '410': { description: 'You want nothing more: the webhook is disabled at once.' },
        '4XX': { description: 'A failed attempt: it is retried for about three days.' },
        '5XX': {
          description: 'A failed attempt: it is retried for about three days. Retry-After can lengthen the pause.',
        },
      },
    },
  }
}

const signatureHeaders = [
  header('webhook-id', "The message's id: the same at every attempt.", envelope.id),
  header('webhook-timestamp', 'The time of this attempt, in seconds since 1970.', '1795166950'),
  header(
    'webhook-signature',
    'One or more signatures separated by spaces, one for each valid secret; accept any: `v1,` and the Base64 HMAC-SHA-256 of `id.timestamp.body`.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ),
]

function header(name: string, description: string, example: string): object {
  return { name, in: 'header', required: true, description, schema: { type: 'string', maxLength: 1_000 }, example }
}

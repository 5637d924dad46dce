import { customerStatuses, paymentStatuses } from '../../domain/customers/customer.ts'
import { quoteStatuses } from '../../domain/quotes/quote.ts'
import type { EventType } from '../../events/event.ts'

const about = {
  quoteId: { type: 'string' },
  reference: { type: ['string', 'null'] },
}
const status = (values: readonly string[]) => ({ type: 'string', enum: [...values] })

const payloads: Record<EventType, { summary: string; properties: Record<string, unknown> }> = {
  'quote.status.changed': {
    summary: "A quote's status changed",
    properties: {
      ...about,
      previousStatus: { type: ['string', 'null'], enum: [...quoteStatuses, null], description: 'null on creation' },
      status: status(quoteStatuses),
    },
  },
  'customer.payment.updated': {
    summary: "A customer's payment status changed",
    properties: {
      customerId: { type: 'string' },
      ...about,
      previousPaymentStatus: status(paymentStatuses),
      paymentStatus: status(paymentStatuses),
    },
  },
  'customer.status.changed': {
    summary: "A customer's status changed",
    properties: {
      customerId: { type: 'string' },
      ...about,
      previousStatus: status(customerStatuses),
      status: status(customerStatuses),
    },
  },
}

/** The messages we send, for the document's `webhooks`: never personal data. */
export function documentEvents(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(payloads).map(([type, { summary, properties }]) => [
      type,
      {
        post: {
          operationId: `receive-${type}`,
          tags: ['Webhooks'],
          summary,
          description:
            'Signed as Standard Webhooks says: webhook-id, webhook-timestamp, webhook-signature. Delivered at least once; webhook-id is constant.',
          security: [],
          requestBody: {
            required: true,
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  required: ['id', 'type', 'timestamp', 'data'],
                  properties: {
                    id: { type: 'string' },
                    type: { type: 'string', enum: [type] },
                    timestamp: { type: 'string', format: 'date-time' },
                    data: {
                      type: 'object',
                      required: Object.keys(properties),
                      properties,
                      additionalProperties: false,
                    },
                  },
                },
              },
            },
          },
          responses: {
            '2XX': { description: 'Taken in' },
            '4XX': { description: 'Refused: tried again later; 410 disables the webhook' },
          },
        },
      },
    ]),
  )
}

import { eventMessage } from '../../src/domain/webhooks/message.ts'
import { newWebhookSecret } from '../../src/domain/webhooks/secret.ts'
import { signMessage } from '../../src/domain/webhooks/signature.ts'

const at = new Date('2026-11-20T09:29:10.041Z')
const message = eventMessage({
  eventId: 'event_01m7w4kmmrf228899q5c8ptd31',
  type: 'quote.status.changed',
  occurredAt: at,
  data: {
    quoteId: 'quote_01m7w4kmkrf2288963w0nq8dax',
    reference: null,
    previousStatus: null,
    status: 'draft',
  },
})

/** A message as a receiver is sent it, for tests of the way there. */
export const labMessage = {
  messageId: message.messageId,
  body: message.body,
  headers: {
    'content-type': 'application/json',
    'user-agent': 'Housebill-Webhooks/1',
    ...signMessage([newWebhookSecret()], { id: message.messageId, timestamp: at, body: message.body }),
  },
} as const

import { newWebhookSecret, signMessage } from '../../src/webhooks/secrets/secret.ts'

const at = new Date('2026-11-20T09:29:10.041Z')
const messageId = 'event_01m7w4kmmrf228899q5c8ptd31'
const body = JSON.stringify({
  id: messageId,
  type: 'quote.status.changed',
  timestamp: at.toISOString(),
  data: {
    quoteId: 'quote_01m7w4kmkrf2288963w0nq8dax',
    reference: null,
    branch: null,
    soldBy: null,
    previousStatus: null,
    status: 'draft',
    reason: null,
  },
})

/** A webhook message as a receiver gets it. */
export const sampleMessage = {
  messageId,
  body,
  headers: {
    'content-type': 'application/json',
    'user-agent': 'Housebill-Webhooks/1',
    ...signMessage([newWebhookSecret()], { id: messageId, timestamp: at, body }),
  },
} as const

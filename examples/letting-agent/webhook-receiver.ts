import type { IncomingMessage, ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { type HousebillClient, InvalidWebhookError, verifyWebhook } from '../../clients/typescript/src/entry.ts'
import type { BillSales } from './bill-sales.ts'

/**
 * Registers this program's webhook in place of the one of its last run, whose secret it has forgotten. Returns the
 * secret.
 */
export async function registerWebhook(client: HousebillClient, url: string): Promise<string> {
  for await (const webhook of client.listWebhooks())
    if (webhook.url === url) await client.deleteWebhook(webhook.webhookId)
  const { secret } = await client.createWebhook({
    url,
    events: ['customer.status.changed', 'customer.payment.updated', 'customer.contract.changed'],
  })
  return secret
}

/**
 * Verifies a message, echoes the challenge of the first one, and otherwise reads the customer that the message is
 * about.
 */
export async function receiveWebhook(
  request: IncomingMessage,
  response: ServerResponse,
  secret: Promise<string>,
  sales: BillSales,
): Promise<void> {
  try {
    const message = await verifyWebhook(await buffer(request), request.headers, await secret)
    if (message.type === 'webhook.verification') {
      response.end(message.data.challenge)
      return
    }
    // The message only says that something changed. Reading the customer makes late, repeated and reordered messages
    // harmless.
    if ('customerId' in message.data && message.test !== true) await sales.refresh(message.data.customerId)
    response.writeHead(204).end()
  } catch (error) {
    // With 500, Housebill sends the message again later.
    if (!(error instanceof InvalidWebhookError)) console.error(error)
    response.writeHead(error instanceof InvalidWebhookError ? 400 : 500).end()
  }
}

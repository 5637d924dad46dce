import { randomBytes } from 'node:crypto'
import { type Id, newId } from '../../platform/kernel/ids.ts'

export const verificationType = 'webhook.verification'

/**
 * A message to be delivered. Every attempt sends `body` byte for byte. `messageId` is the `id` in the body and the
 * `webhook-id` header. The messages of events are built in SQL (`messages.store.ts`).
 */
export interface Message {
  messageId: string
  type: string
  body: string
}

/** Asks the receiver to prove that it wants our messages by echoing the challenge. */
export function verificationMessage(webhookId: Id<'webhook'>, now: Date): Message {
  const challenge = randomBytes(24).toString('base64url')
  const messageId = newId('event')
  const data = { webhookId, challenge }
  const body = JSON.stringify({ id: messageId, type: verificationType, timestamp: now.toISOString(), data })
  return { messageId, type: verificationType, body }
}

/** Whether the response echoes the challenge of the verification message, as JSON `{challenge}` or as plain text. */
export function echoesChallenge(messageBody: string, responseBody: string): boolean {
  const { data } = JSON.parse(messageBody) as { data: { challenge: string } }
  const text = responseBody.trim()
  return text === data.challenge || challengeOf(text) === data.challenge
}

function challengeOf(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null && 'challenge' in parsed ? parsed.challenge : parsed
  } catch {
    return undefined
  }
}

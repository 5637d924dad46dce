import { randomBytes } from 'node:crypto'
import { newId } from '../kernel/ids.ts'

export const verificationType = 'webhook.verification'

/** What is delivered: `body` is sent byte for byte at every attempt, `messageId` is its `id` and the `webhook-id` header. */
export interface Message {
  messageId: string
  type: string
  body: string
}

/** The message for a recorded event: the same id for every webhook and attempt, so that a receiver can recognise it. */
export function eventMessage(event: { eventId: string; type: string; occurredAt: Date; data: unknown }): Message {
  return message(event.eventId, event.type, event.occurredAt, event.data)
}

/** Asks the receiver to prove that it wants our messages by echoing the challenge. */
export function verificationMessage(webhookId: string, now: Date): Message {
  const challenge = randomBytes(24).toString('base64url')
  return message(newId('event'), verificationType, now, { webhookId, challenge })
}

function message(messageId: string, type: string, at: Date, data: unknown): Message {
  return { messageId, type, body: JSON.stringify({ id: messageId, type, timestamp: at.toISOString(), data }) }
}

/** Whether the receiver's answer echoes the challenge of the verification message: as JSON `{challenge}` or as plain text. */
export function echoesChallenge(messageBody: string, answer: string): boolean {
  const { data } = JSON.parse(messageBody) as { data: { challenge: string } }
  const text = answer.trim()
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

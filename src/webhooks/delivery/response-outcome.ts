import type { WebhookResponse } from '../sender/webhook-sender.ts'

export const verificationType = 'webhook.verification'

/** The time limit from the lookup of the receiver's name to the last byte of its response. */
export const attemptTimeoutMs = 15_000
/** The time limit for a verification. It is shorter because a challenge only has to be echoed. */
export const verificationTimeoutMs = 10_000

/** The headers of every message besides those of its signature and its trace. */
export const headersOfEveryMessage = {
  'content-type': 'application/json',
  'user-agent': 'Housebill-Webhooks/1',
} as const

/**
 * `unverified`: a 2xx response without the challenge; the attempt is retried but does not count as a failure of the
 * receiver. `gone`: the receiver responded with 410 and wants no more messages.
 */
export type AttemptOutcome = 'accepted' | 'unverified' | 'failed' | 'gone'

/** What became of an attempt with this response. It is accepted if it is a complete 2xx response and, for a verification, echoes the challenge. */
export function responseOutcome(
  message: { type: string; body: string },
  { status, body, error }: WebhookResponse,
): { outcome: AttemptOutcome; error: string | null } {
  if (error !== null || status === null) return { outcome: 'failed', error: error ?? 'The receiver did not respond.' }
  if (status === 410)
    return { outcome: 'gone', error: 'The receiver responded with status 410: it no longer wants deliveries.' }
  if (status >= 300 && status < 400) {
    return {
      outcome: 'failed',
      error: `The receiver responded with a redirect (${status}), which is not followed. Register the final URL.`,
    }
  }
  if (status < 200 || status > 299)
    return { outcome: 'failed', error: `The receiver responded with status ${status} instead of 2xx.` }
  if (message.type === verificationType && !echoesChallenge(message.body, body.toString('utf8'))) {
    return {
      outcome: 'unverified',
      error: 'The response did not contain data.challenge, as JSON {"challenge": "..."} or as plain text.',
    }
  }
  return { outcome: 'accepted', error: null }
}

/**
 * Whether the response echoes the challenge of the verification message, as JSON `{challenge}` or as plain text.
 *
 * @internal A test calls it with every kind of response.
 */
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

import { DomainError } from '../../platform/kernel/errors.ts'

/**
 * What a tenant's browser uses to call the processor: the base URL, and the key that allows only what a browser may do.
 */
export interface BrowserCredentials {
  simulatorBaseUrl: URL
  publishableKey: string
}

/** Why a card was declined: the processor's message, and the card field it concerns, if any. */
interface CardDecline {
  code: string
  declineCode: string | null
  message: string
  field: 'number' | 'expiry' | 'cvc' | null
}

/** The state of the setup intent after a step of the card setup. */
export interface CardSetupState {
  status: string
  rejection: CardDecline | null
}

interface WireIntent {
  status: string
  last_setup_error: WireError | null
}

interface WireError {
  code?: string
  decline_code?: string
  message?: string
  param?: string
  setup_intent?: WireIntent
}

const timeoutMs = 8_000

/**
 * Calls the processor as the browser would and returns the intent's state, or null if the client secret matches no
 * intent. Throws
 * `service_unavailable`.
 */
export async function callProcessor(
  access: BrowserCredentials,
  path: string,
  method: 'GET' | 'POST',
  parameters: Record<string, string>,
): Promise<CardSetupState | null> {
  const { status, body } = await exchange(access, path, method, parameters)
  if (status === 200) return stateOf(body as WireIntent)
  const error = (body as { error?: WireError }).error ?? {}
  if (error.code === 'resource_missing' && status === 404) return null
  // The intent was cancelled, or completed in another window, after the page was opened.
  if (error.code === 'setup_intent_unexpected_state' && error.setup_intent !== undefined)
    return stateOf(error.setup_intent)
  if (status === 402)
    return { status: error.setup_intent?.status ?? 'requires_payment_method', rejection: declineOf(error) }
  throw unavailable(new Error(`Payment simulator: status ${status}, code ${error.code ?? 'none'}.`))
}

async function exchange(access: BrowserCredentials, path: string, method: string, parameters: Record<string, string>) {
  const url = new URL(path, access.simulatorBaseUrl)
  const form = new URLSearchParams(parameters)
  if (method === 'GET') url.search = form.toString()
  try {
    const response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${access.publishableKey}` },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
      ...(method === 'POST' ? { body: form } : {}),
    })
    return { status: response.status, body: (await response.json()) as unknown }
  } catch (error) {
    throw unavailable(error instanceof Error ? new Error(`Payment simulator: ${error.name}.`) : undefined)
  }
}

function stateOf(intent: WireIntent): CardSetupState {
  const failed = intent.status === 'requires_payment_method' ? intent.last_setup_error : null
  return { status: intent.status, rejection: failed === null ? null : declineOf(failed) }
}

function declineOf(error: WireError): CardDecline {
  return {
    code: error.code ?? 'card_error',
    declineCode: error.decline_code ?? null,
    message: error.message ?? 'The card was not accepted.',
    field: fieldOf(error),
  }
}

function fieldOf({ param, code }: WireError): CardDecline['field'] {
  if (param?.endsWith('[number]')) return 'number'
  if (param?.includes('[exp_') || code === 'expired_card') return 'expiry'
  if (param?.endsWith('[cvc]') || code === 'incorrect_cvc') return 'cvc'
  return null
}

function unavailable(cause: Error | undefined): DomainError {
  return new DomainError(
    'service_unavailable',
    'The payment processor cannot be reached at the moment. Try again shortly.',
    {
      retryAfterSeconds: 2,
      cause,
    },
  )
}

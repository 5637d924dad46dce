/** The bodies the page sends. Parsed by hand, so that no error message can quote a card number. */
export interface ConfirmInput {
  clientSecret: string
  card: { number: string; expMonth: string; expYear: string; cvc: string }
}

export interface AuthenticateInput {
  clientSecret: string
  outcome: 'authenticated' | 'failed'
}

/** Reads the client secret from a request body. Returns undefined if it is missing or its length is implausible. */
export function readClientSecret(body: unknown): string | undefined {
  return textIn(body, 'clientSecret', 300)
}

export function readConfirmInput(body: unknown): ConfirmInput | undefined {
  const clientSecret = readClientSecret(body)
  const card = isRecord(body) ? body.card : undefined
  const number = textIn(card, 'number', 30)
  const expMonth = textIn(card, 'expMonth', 4)
  const expYear = textIn(card, 'expYear', 4)
  const cvc = textIn(card, 'cvc', 8)
  if (clientSecret === undefined || number === undefined || expMonth === undefined) return undefined
  if (expYear === undefined || cvc === undefined) return undefined
  return { clientSecret, card: { number, expMonth, expYear, cvc } }
}

export function readAuthenticateInput(body: unknown): AuthenticateInput | undefined {
  const clientSecret = readClientSecret(body)
  const outcome = textIn(body, 'outcome', 20)
  if (clientSecret === undefined || (outcome !== 'authenticated' && outcome !== 'failed')) return undefined
  return { clientSecret, outcome }
}

function textIn(body: unknown, name: string, maxLength: number): string | undefined {
  const value = isRecord(body) ? body[name] : undefined
  return typeof value === 'string' && value !== '' && value.length <= maxLength ? value : undefined
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** The error object of the Stripe wire form; what is absent is left out of the answer. */
export interface StripeErrorBody {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error'
  message: string
  code?: string
  decline_code?: string
  param?: string
  doc_url?: string
  payment_method?: object
  setup_intent?: object
  payment_intent?: object
}

/** A refusal in the Stripe wire form. Thrown, it undoes the transaction it is thrown in; nothing is kept of the call. */
export class StripeFault extends Error {
  override readonly name = 'StripeFault'
  readonly status: number
  readonly error: StripeErrorBody

  constructor(status: number, error: StripeErrorBody) {
    super(error.message)
    this.status = status
    this.error = error
  }
}

export function invalidRequest(message: string, details: { code?: string; param?: string } = {}): StripeFault {
  return new StripeFault(400, { type: 'invalid_request_error', message, ...details })
}

export function missingParameter(param: string): StripeFault {
  return invalidRequest(`Missing required param: ${param}.`, { code: 'parameter_missing', param })
}

/** `status` is 404 where the path names the object, 400 where a parameter does. */
export function noSuch(kind: string, id: string, param: string, status: 400 | 404): StripeFault {
  // An id that is none is not repeated: somebody may have put a card number there.
  const shown = /^[a-z]+_\w{1,100}$/i.test(id) ? `: '${id}'` : ''
  return new StripeFault(status, {
    type: 'invalid_request_error',
    message: `No such ${kind}${shown}`,
    code: 'resource_missing',
    param,
  })
}

/** Card data that cannot be a card: refused before any attempt is made, so the intent stays as it was. */
export function unusableCard(code: string, message: string, field: string): StripeFault {
  return new StripeFault(402, {
    type: 'card_error',
    message,
    code,
    param: `payment_method_data[card][${field}]`,
    doc_url: `https://docs.stripe.com/error-codes#${code.replaceAll('_', '-')}`,
  })
}

/** What a browser's key may not do. */
export function secretKeyRequired(): StripeFault {
  return new StripeFault(401, {
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
  })
}

/** Stripe's error object; absent fields are left out of the response. */
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

/** An error in Stripe's format. Throwing it rolls back the transaction, so nothing from the call is stored. */
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

/** The error for an unknown id. `status` is 404 if the id is in the path, 400 if it is in a parameter. */
export function noSuchObject(kind: string, id: string, param: string, status: 400 | 404): StripeFault {
  // Do not echo an invalid id: it could be a card number.
  const shown = /^[a-z]+_\w{1,100}$/i.test(id) ? `: '${id}'` : ''
  return new StripeFault(status, {
    type: 'invalid_request_error',
    message: `No such ${kind}${shown}`,
    code: 'resource_missing',
    param,
  })
}

/** The error for data that cannot be a card. It is thrown before any attempt, so the intent is unchanged. */
export function invalidCard(code: string, message: string, field: string): StripeFault {
  return new StripeFault(402, {
    type: 'card_error',
    message,
    code,
    param: `payment_method_data[card][${field}]`,
    doc_url: `https://docs.stripe.com/error-codes#${code.replaceAll('_', '-')}`,
  })
}

/** The error for calls that are not allowed with a publishable key. */
export function secretKeyRequired(): StripeFault {
  return new StripeFault(401, {
    type: 'invalid_request_error',
    code: 'secret_key_required',
    message: 'This API call cannot be made with a publishable API key. Please use a secret API key.',
  })
}

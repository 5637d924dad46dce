import Type from 'typebox'

/** RFC 6749 §5.1. Scopes are not read here, because the signed token contains them. */
const tokenResponse = Type.Object({
  access_token: Type.String({ minLength: 1, maxLength: 16_384 }),
  token_type: Type.String({ pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr]$' }),
  /** Some providers send text. */
  expires_in: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.String({ pattern: '^[0-9]{1,12}$' })])),
})

/** RFC 6749 §5.2. */
const tokenError = Type.Object({ error: Type.String({ minLength: 1, maxLength: 200 }) })

/** Providers reject requests with 400 or 401; some use 403 if a client may not have tokens for an audience. */
export const tokenResponses = { 200: tokenResponse, 400: tokenError, 401: tokenError, 403: tokenError }

/** RFC 7517 §5. Each key is checked individually, so that one unreadable key does not make the others unusable. */
export const keySetResponses = {
  200: Type.Object({ keys: Type.Array(Type.Object({}), { minItems: 1, maxItems: 100 }) }),
}

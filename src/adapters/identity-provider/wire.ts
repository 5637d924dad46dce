import Type from 'typebox'

/** RFC 6749 §5.1. What a provider says of scopes is not read here: the token itself says it, under its signature. */
const tokenAnswer = Type.Object({
  access_token: Type.String({ minLength: 1, maxLength: 16_384 }),
  token_type: Type.String({ pattern: '^[Bb][Ee][Aa][Rr][Ee][Rr]$' }),
  expires_in: Type.Optional(Type.Number({ minimum: 0 })),
})

/** RFC 6749 §5.2. */
const tokenRefusal = Type.Object({ error: Type.String({ minLength: 1, maxLength: 200 }) })

/** Providers refuse with 400 and 401, and some with 403 where a client may not have tokens for an audience. */
export const tokenAnswers = { 200: tokenAnswer, 400: tokenRefusal, 401: tokenRefusal, 403: tokenRefusal }

/** RFC 7517 §5; what is in each key is looked at one by one, so that one we cannot read spoils none of the others. */
export const keySetAnswers = {
  200: Type.Object({ keys: Type.Array(Type.Object({}), { minItems: 1, maxItems: 100 }) }),
}

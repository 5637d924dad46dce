import Type from 'typebox'

export const problemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', description: 'resolves to the documentation of this error' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'names the remedy' }),
    code: Type.String({ description: 'stable; what programs branch on' }),
    requestId: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            pointer: Type.String({ description: 'JSON pointer to the field' }),
            code: Type.String(),
            detail: Type.String(),
          },
          { additionalProperties: false },
        ),
        { description: 'every bad field, all at once' },
      ),
    ),
  },
  { additionalProperties: false, description: 'RFC 9457 problem document' },
)

export const sharedHeaders: Record<string, unknown> = {
  'X-Request-Id': {
    description: 'follows the call through the logs; a valid incoming one is kept',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': { description: 'the quota and its window, e.g. "default";q=100;w=1', schema: { type: 'string' } },
  RateLimit: {
    description: 'what is left of the quota and when it resets, e.g. "default";r=99;t=1',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': { description: 'true on a stored answer', schema: { type: 'string', enum: ['true'] } },
  'Retry-After': { description: 'seconds to wait', schema: { type: 'integer' } },
}

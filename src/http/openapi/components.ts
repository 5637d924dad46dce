import Type from 'typebox'
import { Text, Whole } from '../wire/values.ts'

export const problemSchema = Type.Object(
  {
    type: Type.String({ format: 'uri', maxLength: 2_048, description: 'resolves to the documentation of this error' }),
    title: Text(200),
    status: Whole({ minimum: 400, maximum: 599 }),
    // It names every bad field, and a body can be nothing but names.
    detail: Text(400_000, 'names the remedy'),
    code: Text(64, 'stable; what programs branch on', { pattern: '^[a-z0-9_]+$' }),
    requestId: Text(128, undefined, { pattern: '^[A-Za-z0-9._:-]+$' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            pointer: Text(400_000, 'JSON pointer to the field'),
            code: Text(64, undefined, { pattern: '^[a-z0-9_]+$' }),
            detail: Text(2_000),
          },
          { additionalProperties: false },
        ),
        { maxItems: 65_536, description: 'every bad field, all at once' },
      ),
    ),
  },
  { additionalProperties: false, description: 'RFC 9457 problem document' },
)

export const sharedHeaders: Record<string, unknown> = {
  'X-Request-Id': {
    description: 'follows the call through the logs; a valid incoming one is kept',
    schema: { type: 'string', maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
  },
  'RateLimit-Policy': {
    description: 'each quota and its window, e.g. "default";q=100;w=1; several separated by commas',
    schema: { type: 'string', maxLength: 200 },
  },
  RateLimit: {
    description: 'what is left of each quota and when it resets, e.g. "default";r=99;t=1',
    schema: { type: 'string', maxLength: 200 },
  },
  'Idempotent-Replayed': { description: 'true on a stored answer', schema: { type: 'string', enum: ['true'] } },
  'Retry-After': {
    description: 'seconds to wait',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
  },
}

/** What a limited answer carries; one that was refused before anything was counted leaves the limit out. */
export const limitedHeaders: readonly string[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

export function referencesTo(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

import Type from 'typebox'
import { Text, WholeNumber } from '../wire/values.ts'

export const problemSchema = Type.Object(
  {
    type: Type.String({
      format: 'uri',
      maxLength: 2_048,
      description: 'A URL that opens the documentation of this error.',
    }),
    title: Text(200),
    status: WholeNumber({ minimum: 400, maximum: 599 }),
    // The limit is high because the text names every invalid field, and a body can consist almost entirely of field names.
    detail: Text(400_000, 'What went wrong and how to fix it.'),
    code: Text(64, 'A stable code for your program to act on.', { pattern: '^[a-z0-9_]+$' }),
    requestId: Text(128, undefined, { pattern: '^[A-Za-z0-9._:-]+$' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          {
            pointer: Text(400_000, 'A JSON pointer to the field.'),
            code: Text(64, undefined, { pattern: '^[a-z0-9_]+$' }),
            detail: Text(2_000),
          },
          { additionalProperties: false },
        ),
        { maxItems: 65_536, description: 'Every invalid field of the request.' },
      ),
    ),
  },
  { additionalProperties: false, description: 'A problem document (RFC 9457).' },
)

export const sharedHeaders: Record<string, unknown> = {
  'X-Request-Id': {
    description: 'Identifies the request in the logs. If you send a valid one, it is used.',
    schema: { type: 'string', maxLength: 128, pattern: '^[A-Za-z0-9._:-]+$' },
  },
  'RateLimit-Policy': {
    description: 'Each quota and its window in seconds, separated by commas. For example, "default";q=100;w=1.',
    schema: { type: 'string', maxLength: 200 },
  },
  RateLimit: {
    description: 'What remains of each quota and the seconds until it resets. For example, "default";r=99;t=1.',
    schema: { type: 'string', maxLength: 200 },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is a stored response.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'The number of seconds to wait before you retry.',
    schema: { type: 'integer', format: 'int32', minimum: 1, maximum: 86_400 },
  },
}

/** The headers of a rate-limited response; absent if the request was rejected before it was counted. */
export const rateLimitedHeaders: readonly string[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

export function referencesTo(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

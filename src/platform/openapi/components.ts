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

/**
 * The headers that report rate limits. They are on every response, unless the request was rejected before it was
 * counted.
 */
export const rateLimitedHeaders: readonly string[] = ['X-Request-Id', 'RateLimit-Policy', 'RateLimit']

export function referencesTo(names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

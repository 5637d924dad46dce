import fc from 'fast-check'

/**
 * Unusual parts of a request apart from its body. Header names are in lower case; values are limited to what HTTP
 * allows.
 */
type Headers = readonly (readonly [name: string, value: string])[]

export const oddMethod: fc.Arbitrary<string> = fc.constantFrom(
  'HEAD',
  'GET',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'TRACE',
  'QUERY',
  'PROPFIND',
)

export const oddHeaders: fc.Arbitrary<Headers> = fc.constantFrom<Headers[]>(
  [['accept', 'text/html']],
  [['accept', 'application/json;q=0']],
  [['accept', ';;;']],
  [['accept', 'application/problem+json, */*;q=0.1']],
  [['accept-encoding', 'br, gzip;q=1.0, *;q=0']],
  [['content-type', 'application/json; charset=utf-16']],
  [['content-type', 'APPLICATION/JSON ; charset="UTF-8"']],
  [['content-type', 'application/merge-patch+json']],
  [['content-type', 'application/x-www-form-urlencoded']],
  [['content-type', 'multipart/form-data; boundary=x']],
  [['content-type', 'text/plain']],
  [['content-type', ';']],
  [['content-type', '']],
  [
    ['content-type', 'application/json'],
    ['content-type', 'text/plain'],
  ],
  [['content-encoding', 'gzip']],
  [['content-encoding', 'identity']],
  [['x-request-id', 'mine-1']],
  [['x-request-id', '\xff\xfe']],
  [['x-request-id', 'x'.repeat(5_000)]],
  [
    ['x-request-id', 'one'],
    ['x-request-id', 'two'],
  ],
  [['traceparent', '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01']],
  [['traceparent', '00-0-0-zz']],
  [['range', 'bytes=0-1']],
  [
    ['if-none-match', '*'],
    ['if-modified-since', 'Thu, 01 Jan 1970 00:00:00 GMT'],
  ],
  [['cookie', '__proto__=1; a=b']],
  [
    ['x-forwarded-for', "127.0.0.1, '; drop table"],
    ['forwarded', 'for=unknown'],
  ],
  [['x-http-method-override', 'DELETE']],
  [['origin', 'https://evil.example']],
  [['host', 'evil.example:99999']],
  [['accept-language', '\xe9']],
  [['x-large', 'a'.repeat(17_000)]],
)

/** There are only a few keys, so that each is reused with the same body, another body and another path. */
export const oddIdempotencyHeaders: fc.Arbitrary<Headers> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.nat({ max: 200 }), fc.boolean())
      .map(([key, quoted]): Headers => [['idempotency-key', quoted ? `"key-${key}"` : `key-${key}`]]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Headers[]>(
      [['idempotency-key', '']],
      [['idempotency-key', '""']],
      [['idempotency-key', '"']],
      [['idempotency-key', 'a b']],
      [['idempotency-key', "'; drop table idempotency_keys;--"]],
      [['idempotency-key', 'x'.repeat(255)]],
      [['idempotency-key', 'x'.repeat(256)]],
      [['idempotency-key', `"${'x'.repeat(255)}"`]],
      [['idempotency-key', '\xe9\xff']],
      [
        ['idempotency-key', 'one'],
        ['idempotency-key', 'two'],
      ],
    ),
  },
)

export const oddAuthorization: fc.Arbitrary<Headers> = fc.constantFrom<Headers[]>(
  [['authorization', '']],
  [['authorization', 'bearer {{own.token}}']],
  [['authorization', 'Bearer  {{own.token}} ']],
  [['authorization', '{{own.token}}']],
  [['authorization', 'Basic {{own.token}}']],
  [['authorization', 'Basic {{own.basic}}']],
  [['authorization', 'Basic Og==']],
  [['authorization', 'Bearer {{own.token}}x']],
  // Each API rejects the other's tokens.
  [['authorization', 'Bearer {{own.token}}']],
  [['authorization', 'Bearer {{own.operatorToken}}']],
  [['authorization', 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJ4In0.']],
  [['authorization', 'Bearer \xff']],
  [['authorization', `Bearer ${'a'.repeat(8_000)}`]],
  [
    ['authorization', 'Bearer {{own.token}}'],
    ['authorization', 'Bearer {{own.token}}'],
  ],
)

export const oddQuery: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '',
    '&&=&',
    'unknown=1',
    'postcode=NR4%207TJ&postcode=NR4%207TJ',
    'postcode[]=NR4',
    'limit=1&limit=2',
    'limit=1e1',
    'limit=0x10',
    'limit=-0',
    'limit=1e400',
    'limit=',
    'limit=101',
    'cursor=%00',
    'cursor=%ff',
    'createdFrom=2026-06-30T23:59:60Z',
    'createdBefore=0000-01-01T00:00:00Z',
    'createdFrom=9999-12-31T23:59:59-23:59',
    'createdFrom=2026-12-01T09:00:00+01:00',
    'reference=%00',
    'reference=%F0%9F%8F%A0',
    'status=Draft',
    '__proto__=1&constructor=2&toString=3',
    '%zz',
    'a=%',
    '?',
    '%3Flimit=1',
    `reference=${'a'.repeat(9_000)}`,
  ),
  fc.webQueryParameters({ size: 'medium' }),
)

/**
 * Path segments that are not ids of this service; some are valid ids with characters added. All are already encoded for
 * sending.
 */
export const oddPathId: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    'null',
    '-1',
    '0',
    'quote_',
    'quote_00000000000000000000000000',
    '%00',
    '%0d%0aX-Injected:%20yes',
    '..%2f..%2fetc%2fpasswd',
    '%2e%2e',
    '%F0%9F%8F%A0',
    '%zz',
    '%',
    '%c3%28',
    "'%20or%201=1--",
    '{{own.quoteId}}%20',
    '{{own.customerId}}%00',
    '{{own.quoteId}},{{foreign.quoteId}}',
    '*',
    'x'.repeat(201),
    'x'.repeat(12_000),
    ';a=b',
    '__proto__',
    '$where',
  ),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }).map((text) => encodeURIComponent(text.toWellFormed())),
)

/** Changes the path to an equivalent or similar one, but leaves placeholders in double braces unchanged. */
export const oddPath: fc.Arbitrary<(path: string) => string> = fc.constantFrom(
  (path: string) => outsideBraces(path, (text) => text.toUpperCase()),
  (path: string) => outsideBraces(path, (text) => text.toLowerCase()),
  (path: string) => outsideBraces(path, (text) => text.replaceAll('e', '%65')),
  (path: string) => path.replace('r-api/', '%72-api/'),
  (path: string) => path.replace('r-api/', 'r-api%2F'),
  (path: string) => `${path}/`,
  (path: string) => `${path}//`,
  (path: string) => `${path}/.`,
  (path: string) => `${path}%20`,
  (path: string) => `${path};jsessionid=1`,
  (path: string) => `${path}.json`,
  (path: string) => `/${path}`,
  (path: string) => path.replace('r-api/', 'r-api/./'),
  (path: string) => path.replace('r-api/', 'r-api/x/../'),
  (path: string) => path.replace('r-api/', 'r-api/v1/'),
  (path: string) => `http://evil.example${path}`,
)

function outsideBraces(path: string, change: (text: string) => string): string {
  return path
    .split(/(\{\{[\w.]+\}\})/)
    .map((part) => (part.startsWith('{{') ? part : change(part)))
    .join('')
}

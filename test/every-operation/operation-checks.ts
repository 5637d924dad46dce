import assert from 'node:assert/strict'
import { routes } from '../../src/app/http/routes.ts'
import type { Scope } from '../../src/partners/scopes.ts'
import { withLastBitChanged } from '../support/altered-token.ts'
import { type ApiResponse, call, type Partner } from '../support/client.ts'
import { fillPath, isChanging, type ValidRequest } from '../support/every-operation.ts'
import { codeOf, invalidFields, rejected } from '../support/responses.ts'

/** Whoever sends the requests. */
export interface Callers {
  baseUrl: string
  /** May call every operation. */
  partner: Partner
  /** The same partner with every scope but this one. */
  without(scope: Scope): Promise<Partner>
}

/**
 * What holds for every operation, shown by variations of a valid request. None of them may have an effect: the request
 * itself must still succeed.
 */
export interface OperationCheck {
  title: string
  appliesTo?(request: ValidRequest): boolean
  run(request: ValidRequest, callers: Callers): Promise<void>
}

/** What differs from the valid request. */
interface Variation {
  method?: string
  path?: string
  query?: string
  /** Sent instead of the body, as JSON unless the headers say otherwise. */
  rawBody?: string | undefined
  headers?: Record<string, string>
  /** An empty text sends no token. */
  token?: string
}

/** Sends a variation of a valid request. */
export function sendVariation(
  { baseUrl, partner }: Pick<Callers, 'baseUrl' | 'partner'>,
  request: ValidRequest,
  variation: Variation = {},
): Promise<ApiResponse> {
  const valid = request.body === undefined ? undefined : JSON.stringify(request.body)
  const { method, path, query, rawBody, headers, token } = {
    ...{ method: request.route.method, path: request.path, query: request.query, rawBody: valid },
    ...{ token: partner.token, headers: {} },
    ...variation,
  }
  return call(baseUrl, method, `/partner-api${path}${query}`, undefined, {
    headers: {
      ...(token === '' ? {} : { Authorization: `Bearer ${token}` }),
      ...(rawBody === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(rawBody === undefined ? {} : { rawBody }),
  })
}

/** The query with further parameters. */
function withQuery({ query }: ValidRequest, added: string): string {
  return query === '' ? `?${added}` : `${query}&${added}`
}

const poison = '{"polluted":true,"isAdmin":true,"addressUid":"x","tenants":[],"packageIds":[]}'
const poisonedBodies = [
  `{"__proto__":${poison}}`,
  `{"\\u005f_proto__":${poison}}`,
  `{"constructor":{"prototype":${poison}}}`,
  `{"prototype":${poison}}`,
  `{"__proto__":{"__proto__":${poison}},"constructor":1}`,
  `{"a[__proto__]":1,"a.__proto__.polluted":true,"__proto__.polluted":true}`,
]

const takesNoBody = ({ route }: ValidRequest) => isChanging(route) && route.body === undefined
const mayOmitBody = ({ route }: ValidRequest) => isChanging(route) && (route.body === undefined || route.bodyIsOptional)
const unusualTypes = [
  'application/x-www-form-urlencoded',
  'text/plain',
  'application/xml',
  'no/such; type=\xc3\xa9',
  ';;;',
  '',
]
const withType = (rawBody: string, type: string) => ({ rawBody, headers: { 'Content-Type': type } })

export const operationChecks: readonly OperationCheck[] = [
  {
    title: 'returns 401 with a challenge, before any other check, if the token is missing, malformed or altered',
    async run(request, callers) {
      const missing = await sendVariation(callers, request, { token: '' })
      rejected(missing, 401, 'unauthenticated')
      assert.equal(missing.headers.get('www-authenticate'), 'Bearer realm="housebill"')
      const { token } = callers.partner
      const [header = '', payload = ''] = token.split('.')
      const wrong = ['nonsense', `${token}x`, `${header}.${payload}.`, withLastBitChanged(token)]
      for (const Authorization of [...wrong.map((each) => `Bearer ${each}`), `Basic ${token}`]) {
        const bad = await sendVariation(callers, request, { headers: { Authorization } })
        rejected(bad, 401, 'unauthenticated')
        const challenge = /^Bearer realm="housebill", error="invalid_token", error_description="/
        assert.match(bad.headers.get('www-authenticate') ?? '', challenge)
      }
    },
  },
  {
    title: 'returns 403 for a token with every scope but its own',
    async run(request, callers) {
      const { scope, alsoScope = scope } = request.route
      for (const missing of new Set([scope, alsoScope])) {
        const { token } = await callers.without(missing)
        const lacking = await sendVariation(callers, request, { token })
        assert.ok(rejected(lacking, 403, 'insufficient_scope').detail.includes(missing))
        const challenge = `Bearer realm="housebill", error="insufficient_scope", scope="${missing}"`
        assert.equal(lacking.headers.get('www-authenticate'), challenge)
      }
    },
  },
  {
    title: 'returns 400 and names every query parameter that is unknown',
    async run(request, callers) {
      const query = withQuery(request, 'unheard=1&__proto__=2&constructor=3')
      const problem = rejected(await sendVariation(callers, request, { query }), 400, 'invalid_request')
      assert.deepEqual(invalidFields(problem), [
        ['/query/__proto__', 'unknown_field'],
        ['/query/constructor', 'unknown_field'],
        ['/query/unheard', 'unknown_field'],
      ])
    },
  },
  {
    title: 'returns 400 and names a parameter that is repeated, bracketed or dotted',
    async run(request, callers) {
      const known = Object.keys(request.route.query?.properties ?? {})
      const odd = ['a[b]=c', '__proto__[polluted]=1', 'a.b=c']
      const repeated = ['__proto__', ...known].map((name) => `${name}=1&${name}=2`)
      const bracketed = known.flatMap((name) => [`${name}[]=1`, `${name}[a]=1`])
      for (const text of [...odd, ...repeated, ...bracketed]) {
        const response = await sendVariation(callers, request, { query: `?${text}` })
        const problem = rejected(response, 400, 'invalid_request')
        const pointer = `/query/${decodeURIComponent(text.split('=', 1)[0] ?? '')}`
        assert.ok(
          invalidFields(problem).some(([named]) => named === pointer),
          `${text}: ${response.text}`,
        )
      }
    },
  },
  {
    title: 'returns 405 with the allowed methods for any other, even without a token',
    async run(request, callers) {
      const { route } = request
      const ofPath = routes.filter(({ path }) => path === route.path)
      const taken = ofPath.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).sort()
      const others = ['PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY', 'POST'].filter((method) => !taken.includes(method))
      for (const method of others) {
        // One of them with a token is enough to show that it changes nothing.
        const token = method === 'PUT' ? callers.partner.token : ''
        const response = await sendVariation(callers, request, { method, token, query: '', rawBody: undefined })
        rejected(response, 405, 'method_not_allowed')
        assert.equal(response.headers.get('allow'), taken.join(', '))
      }
    },
  },
  {
    title: 'returns 406 if Accept excludes JSON',
    async run(request, callers) {
      const response = await sendVariation(callers, request, { headers: { Accept: 'text/html' } })
      rejected(response, 406, 'not_acceptable')
    },
  },
  {
    title: 'has the same path with a trailing slash',
    async run({ route, ...request }, callers) {
      const send = (slash: string, method: string) => {
        const path = `${fillPath(route, ['x'])}${slash}`
        return sendVariation(callers, { route, ...request }, { path, method, query: '', rawBody: undefined })
      }
      const [plain, slashed] = [await send('', route.method), await send('/', route.method)]
      assert.deepEqual([slashed.status, codeOf(slashed)], [plain.status, codeOf(plain)])
      rejected(await send('/', 'QUERY'), 405, 'method_not_allowed')
    },
  },
  {
    title: 'responds to HEAD and to a path in capitals as it does to GET',
    appliesTo: ({ route }) => !isChanging(route),
    async run(request, callers) {
      const get = await sendVariation(callers, request)
      assert.equal(get.status, 200)
      const path = request.path.replace(/[A-Za-z-]+/, (word) => word.toUpperCase())
      assert.equal((await sendVariation(callers, request, { path })).status, 200)
      const head = await sendVariation(callers, request, { method: 'HEAD' })
      assert.equal(head.status, 200)
      assert.equal(head.headers.get('content-type'), get.headers.get('content-type'))
      assert.equal(head.text, '')
    },
  },
  {
    title: 'returns 400, 415 or 413 if the body is not JSON, not declared as JSON or too large',
    appliesTo: ({ route }) => route.body !== undefined,
    async run(request, callers) {
      const tooLarge = 'x'.repeat(request.route.bodyLimit ?? 65_536)
      const send = (rawBody: string, type = 'application/json') =>
        sendVariation(callers, request, withType(rawBody, type))
      rejected(await send('{"half":'), 400, 'malformed_json')
      rejected(await send('a=b', 'application/x-www-form-urlencoded'), 415, 'unsupported_media_type')
      rejected(await send(`"${tooLarge}"`), 413, 'payload_too_large')
      const problem = rejected(await send('[]'), 400, 'invalid_request')
      assert.deepEqual(invalidFields(problem), [['', 'wrong_type']])
    },
  },
  {
    title: 'reports fields that name a prototype as unknown, and they have no effect',
    appliesTo: ({ route }) => isChanging(route),
    async run(request, callers) {
      for (const rawBody of poisonedBodies) {
        const problem = rejected(await sendVariation(callers, request, { rawBody }), 400, 'invalid_request')
        const unknown = invalidFields(problem).filter(([, code]) => code === 'unknown_field')
        const names = Object.keys(JSON.parse(rawBody)).map((name) => `/${name}`)
        assert.deepEqual(unknown.map(([pointer]) => pointer).sort(), names.sort())
      }
      const { properties = {} } = (request.route.body ?? {}) as { properties?: Record<string, { type?: string }> }
      for (const [name, { type }] of Object.entries(properties)) {
        if (type !== 'object' && type !== 'array') continue
        const inside = `{"__proto__":${poison},"constructor":{"prototype":${poison}}}`
        const rawBody = `{"${name}":${type === 'array' ? `[${inside}]` : inside}}`
        rejected(await sendVariation(callers, request, { rawBody }), 400, 'invalid_request')
      }
      // The service runs in this process, so a polluted prototype would show here.
      for (const victim of [{}, [], Object, Array, '', 0, () => 0]) {
        assert.equal((victim as { polluted?: unknown }).polluted, undefined)
        assert.equal((victim as { isAdmin?: unknown }).isAdmin, undefined)
      }
      assert.deepEqual(Object.keys(Object.prototype), [])
    },
  },
  {
    title: 'accepts no body, an empty body, {} or null with any content type',
    appliesTo: mayOmitBody,
    async run(request, callers) {
      // The id is unknown, so a request whose body is accepted returns 404. A request whose body is rejected fails
      // earlier.
      const path = fillPath(request.route, ['of_nobody'])
      const isAccepted = async (variation: Variation) =>
        rejected(await sendVariation(callers, request, { path, rawBody: undefined, ...variation }), 404, 'not_found')
      await isAccepted({})
      for (const body of ['', '{}', ' { } \n', 'null', '\tnull ']) await isAccepted({ rawBody: body })
      for (const type of unusualTypes) await isAccepted(withType('{}', type))
      await isAccepted({ headers: { 'Content-Type': 'text/plain' } })
      await isAccepted(withType('', 'text/plain'))
    },
  },
  {
    title: 'rejects a body that has fields or is not an object, and says why',
    appliesTo: takesNoBody,
    async run(request, callers) {
      const send = (rawBody: string, type: string) => sendVariation(callers, request, withType(rawBody, type))
      const isRejected = async (rawBody: string, type = 'application/json') => {
        const problem = rejected(await send(rawBody, type), 400, 'invalid_request')
        assert.deepEqual(invalidFields(problem), [['', 'wrong_type']])
      }
      for (const body of ['[]', '[null]', '"x"', '0']) await isRejected(body)
      for (const body of ['{', '<a/>']) rejected(await send(body, 'application/json'), 400, 'malformed_json')
      for (const type of ['application/json', ...unusualTypes]) {
        const named = rejected(await send('{"reason":"none","a/b":{}}', type), 400, 'invalid_request')
        assert.deepEqual(invalidFields(named), [
          ['/a~1b', 'unknown_field'],
          ['/reason', 'unknown_field'],
        ])
      }
      await isRejected('[]', 'text/plain')
      rejected(await send('a=b', 'application/x-www-form-urlencoded'), 400, 'malformed_json')
    },
  },
  {
    title: 'returns 404, not 400, for a malformed id',
    appliesTo: ({ ids }) => ids.length > 0,
    async run(request, callers) {
      const [known = ''] = request.ids
      const odd = ['quote_', '%00', '..%2f', 'x'.repeat(300)]
      for (const id of [known.toUpperCase(), ...odd]) {
        const path = fillPath(request.route, request.ids.with(0, id))
        rejected(await sendVariation(callers, request, { path }), 404, 'not_found')
      }
    },
  },
]

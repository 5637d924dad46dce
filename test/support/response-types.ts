import type { JSONWebKeySet } from 'jose'
import type { Static } from 'typebox'
import type { TypedRoutes } from '../../src/app/http/routes.ts'

/**
 * The body that a call below /partner-api returns on success, by method and path: the type of the `reply` schema in the
 * route table. `unknown` if the path is not in the table or is only known at run time. The type is checked: every
 * response is validated against the same schema (`openapi-responses.ts`).
 */
export type Reply<Method extends string, Path extends string> = Of<Replies, `${Method} ${Shape<Path>}`>

/** Like `Reply`, but for a complete path, such as one that starts with /partner-api. */
export type ReplyToFullPath<Method extends string, Path extends string> = Path extends `/partner-api${infer Below}`
  ? Reply<Method, Below>
  : Of<RepliesElsewhere, `${Method} ${Path}`>

type Of<Known, Call extends string> = Call extends keyof Known ? Known[Call] : unknown

/** The response type of each operation, by method and path, such as `GET /Quotes/{}/total-cost` (see `Shape`). */
type Replies = {
  [Known in TypedRoutes as `${Known['method']} ${Shape<Known['path']>}`]: Static<Known['reply']>
} & { 'POST /Auth/token': Token }

interface RepliesElsewhere {
  'POST /oauth/token': Token
  'GET /.well-known/jwks.json': JSONWebKeySet
  'GET /.well-known/oauth-authorization-server': Record<string, string>
}

/** The token response of RFC 6749 §5.1. */
export interface Token {
  access_token: string
  token_type: string
  /** The lifetime in seconds. */
  expires_in: number
  scope: string
}

/** A path without its query, with `{}` in place of every id: `/Quotes/{}/total-cost`. */
type Shape<Path extends string> = Path extends `${infer Before}?${string}` ? Parts<Before> : Parts<Path>

type Parts<Path extends string> = Path extends `${infer First}/${infer Rest}`
  ? `${Part<First>}/${Parts<Rest>}`
  : Part<Path>

type Part<Name extends string> = string extends Name ? '{}' : Name extends `{${string}}` ? '{}' : Name

import type { Static, TObject, TSchema } from 'typebox'
import type { RouteDependencies } from '../../app/http/route-dependencies.ts'
import type { Caller } from '../../partners/caller.ts'
import type { Scope } from '../../partners/scopes.ts'
import type { ErrorCode, FieldError } from '../kernel/errors.ts'
import type { Id } from '../kernel/ids.ts'
import { openCursor, ownCursor } from './schemas/page.ts'

/** The type of the id in a path: an `Id` if its kind is known, otherwise a plain string. */
type PathId<Path extends string> = Path extends `${string}/Quotes/{id}${string}` | `/Sandbox/quotes/{id}${string}`
  ? Id<'quote'>
  : Path extends `${string}/Customers/{id}${string}` | `/Sandbox/customers/{id}${string}`
    ? Id<'tenant'>
    : Path extends `/Webhooks/{id}${string}` | `/Sandbox/webhooks/{id}${string}`
      ? Id<'webhook'>
      : Path extends `/Deliveries/{id}${string}`
        ? Id<'delivery'>
        : Path extends `/Replays/{id}${string}`
          ? Id<'replay'>
          : Path extends `/Events/{id}${string}`
            ? Id<'event'>
            : string

/** When a response is shown, and the rules that apply then. */
export interface PresentedAt {
  now: Date
  quotePolicy: RouteDependencies['quotePolicy']
}

/** A handler's input, fully validated. */
export interface RouteRequest<Query, Body, PathParameter = string> {
  caller: Caller
  /** Every scope of the token. It includes the route's own. */
  scopes: readonly Scope[]
  /** The path's `{id}` (or `{uid}`); empty if it has none. */
  id: PathParameter
  /** A further parameter of the path, by its name. */
  parameter(name: string): string
  query: Query
  body: Body
}

/**
 * GET only reads, but may record what it showed; a HEAD request leaves not even that (`withoutEffect`). Every POST
 * takes an `Idempotency-Key`, because repeating it would repeat its effect. PATCH and DELETE set a state, so repeating
 * them is harmless; they ignore the key.
 */
export type RouteMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/** One operation of an API: what validation and the OpenAPI document need to know of it. */
export interface Operation {
  operationId: string
  method: RouteMethod
  /** The path below the API's prefix, in the specification's letter case, with parameters as `{id}`. */
  path: string
  tag: string
  summary: string
  description?: string
  /** Describes the parameters in the path. */
  idDescription?: string
  scope: string
  /** A second scope that the token needs. */
  alsoScope?: string | undefined
  query: TObject | undefined
  /** Absent for operations without a body. These accept no body, an empty body or `{}`. */
  body: TSchema | undefined
  /** True if requests may omit the body although `body` is defined. */
  bodyIsOptional: boolean
  reply: TSchema
  /** Further types of a response that is a file, each with how it shows the example of `reply`. */
  textTypes?: Readonly<Record<string, (example: unknown) => string>>
  /** Headers of a successful response that other operations do not have. */
  replyHeaders?: Readonly<Record<string, string>>
  /** The 422 and 503 codes of this operation; the OpenAPI document adds the codes that operations have in common. */
  errors: readonly ErrorCode[]
}

/**
 * Performs checks that a schema cannot express. It must accept a body of any shape. Its errors are reported with the
 * schema's errors.
 */
export type RefineBody = (
  body: unknown,
  caller: Pick<Caller, 'now'>,
  services: Pick<RouteDependencies, 'psrCategories' | 'quotePolicy'>,
) => FieldError[]

/**
 * One partner operation in the route table: everything that validation, authorisation, idempotency and the OpenAPI
 * document need.
 */
export interface Route extends Operation {
  tag: 'Addresses' | 'Quotes' | 'Customers' | 'Reports' | 'Settings' | 'Webhooks' | 'Sandbox'
  scope: Scope
  alsoScope?: Scope | undefined
  /** A further scope, without which the response leaves out data that it names. */
  scopeForMore: Scope | undefined
  /** True if the operation exists only in a sandbox. In live it returns 404. */
  sandboxOnly: boolean
  refine: RefineBody | undefined
  /** Runs the operation. `present` turns its result into the response. */
  handle(deps: RouteDependencies, request: RouteRequest<unknown, unknown>): Promise<unknown>
  present(result: unknown, at: PresentedAt & Pick<Caller, 'partnerId'>): unknown
  secrets: ResponseSecrets | undefined
  /** The most bytes that its body can have, if that is not what all operations have. */
  bodyLimit: number | undefined
  /** How many requests a request counts as; undefined for one. */
  callsOf: ((body: unknown) => number) | undefined
  /** What is likely to be a mistake in a query that succeeds: the header `Housebill-Warning`. */
  warningOf: ((query: unknown) => string | undefined) | undefined
}

/**
 * For responses that contain a secret. The response stored for idempotency leaves the secret out, and a replay loads or
 * recreates it.
 * `remove` and `restore` keep the order of fields, so that a replay is identical byte for byte.
 */
export interface ResponseSecrets {
  /** `result` is the operation's result, for data that `restore` needs but the response lacks. */
  remove(response: unknown, result: unknown): unknown
  restore(deps: RouteDependencies, caller: Caller, stored: unknown): Promise<unknown>
}

/** A route with its types, for pages and tests. */
export interface TypedRoute<
  Method extends RouteMethod,
  Path extends string,
  Reply extends TSchema,
  Body extends TSchema = TSchema,
  Query extends TObject = TObject,
> extends Route {
  method: Method
  path: Path
  query: Query | undefined
  body: Body | undefined
  reply: Reply
}

interface RouteOptions<
  Method extends RouteMethod,
  Path extends string,
  Query extends TObject,
  Body extends TSchema,
  Reply extends TSchema,
  Result,
> {
  operationId: string
  method: Method
  path: Path
  tag: Route['tag']
  summary: string
  description?: string
  idDescription?: string
  scope: Scope
  alsoScope?: Scope
  scopeForMore?: Scope
  query?: Query
  body?: Body
  bodyIsOptional?: boolean
  reply: Reply
  errors?: readonly ErrorCode[]
  sandboxOnly?: boolean
  bodyLimit?: number
  refine?: RefineBody
  handle(deps: RouteDependencies, request: RouteRequest<Static<Query>, Static<Body>, PathId<Path>>): Promise<Result>
  present(result: Result, at: PresentedAt): Static<Reply>
  secrets?: ResponseSecrets
  callsOf?(body: Static<Body>): number
  warningOf?(query: Static<Query>): string | undefined
}

/** The header that says what is likely to be a mistake in a request that succeeds. */
export const warningHeader = 'Housebill-Warning'

/** Defines an operation with its types checked; the table stores it with the types erased. */
export function route<
  Method extends RouteMethod,
  Path extends string,
  Query extends TObject,
  Body extends TSchema,
  Reply extends TSchema,
  Result,
>(options: RouteOptions<Method, Path, Query, Body, Reply, Result>): TypedRoute<Method, Path, Reply, Body, Query> {
  const { warningOf, callsOf, operationId } = options
  const isPaged = options.query?.properties.cursor !== undefined
  return {
    ...options,
    scopeForMore: options.scopeForMore,
    query: options.query,
    body: options.body,
    bodyIsOptional: options.bodyIsOptional ?? false,
    errors: options.errors ?? [],
    sandboxOnly: options.sandboxOnly ?? false,
    bodyLimit: options.bodyLimit,
    refine: options.refine,
    secrets: options.secrets,
    callsOf: callsOf === undefined ? undefined : (body) => callsOf(body as Static<Body>),
    warningOf: warningOf === undefined ? undefined : (query) => warningOf(query as Static<Query>),
    ...(warningOf === undefined
      ? {}
      : { replyHeaders: { [warningHeader]: 'What is likely to be a mistake in the query.' } }),
    // This cast is safe: the request was validated against `query` and `body`, and the result comes from this route's
    // `handle`. An id of the wrong kind matches no row and is handled as unknown.
    handle(deps, request) {
      const { cursor } = (request.query ?? {}) as { cursor?: string }
      const { partnerId } = request.caller
      const query =
        isPaged && cursor !== undefined
          ? { ...(request.query as object), cursor: openCursor(cursor, partnerId, operationId) }
          : request.query
      const input = { ...request, query } as RouteRequest<Static<Query>, Static<Body>, PathId<Path>>
      return options.handle(deps, input)
    },
    present(result, at) {
      const response = options.present(result as Result, at)
      const { nextCursor } = response as { nextCursor?: string | null }
      if (!isPaged || typeof nextCursor !== 'string') return response
      return { ...(response as object), nextCursor: ownCursor(nextCursor, at.partnerId, operationId) }
    },
  }
}

import type { Static, TObject, TSchema } from 'typebox'
import type { Caller } from '../domain/auth/caller.ts'
import type { Scope } from '../domain/auth/scopes.ts'
import type { ErrorCode, FieldError } from '../kernel/errors.ts'
import type { Id } from '../kernel/ids.ts'
import type { Services } from './services.ts'

/** The kind of id that a path names; other ids are plain strings. */
type PathId<Path extends string> = Path extends `${string}/Quotes/{id}${string}` | `/Sandbox/quotes/{id}${string}`
  ? Id<'quote'>
  : Path extends `${string}/Customers/{id}${string}` | `/Sandbox/customers/{id}${string}`
    ? Id<'tenant'>
    : Path extends `/Webhooks/{id}${string}`
      ? Id<'webhook'>
      : Path extends `/Deliveries/{id}${string}`
        ? Id<'delivery'>
        : Path extends `/Replays/{id}${string}`
          ? Id<'replay'>
          : string

/** What a handler is given: all of it validated. */
export interface RouteRequest<Query, Body, PathParameter = string> {
  caller: Caller
  /** The `{id}` (or `{uid}`) of the path; empty where the path has none. */
  id: PathParameter
  query: Query
  body: Body
}

/**
 * GET and its HEAD read. A POST does something each time it is made, so every one takes an `Idempotency-Key`. PATCH and DELETE
 * say how things shall be: repeated they change nothing more, so they need no key and pass one over.
 */
export type RouteMethod = 'GET' | 'POST' | 'PATCH' | 'DELETE'

/**
 * One partner operation as the route table holds it: everything that validation, authorisation, the idempotency
 * mechanism and the OpenAPI document need to know.
 */
export interface Route {
  operationId: string
  method: RouteMethod
  /** Below `/partner-api`, in the spec's spelling, parameters as `{id}`. */
  path: string
  tag: 'Addresses' | 'Quotes' | 'Customers' | 'Webhooks' | 'Sandbox'
  summary: string
  description?: string
  /** What the `{id}` or `{uid}` in the path is. */
  idDescription?: string
  scope: Scope
  query: TObject | undefined
  /** Absent for operations without a body, which accept none, an empty one or `{}`. */
  body: TSchema | undefined
  /** True where the body may be left out although one is defined. */
  bodyIsOptional: boolean
  reply: TSchema
  /** The 422 and 503 codes of this operation's own; those every operation shares are added by the document. */
  errors: readonly ErrorCode[]
  /** Only exists in a sandbox: 404 in live. */
  sandboxOnly: boolean
  /** Rules a schema cannot say, on a body of any shape: they are listed together with what the schema finds. */
  refine: ((body: unknown, caller: Caller, services: Services) => FieldError[]) | undefined
  /** Runs the operation and returns its result, which `present` turns into the answer. */
  handle(services: Services, request: RouteRequest<unknown, unknown>): Promise<unknown>
  present(result: unknown): unknown
  secrets: AnswerSecrets | undefined
}

/**
 * For answers that carry a secret: the idempotency store keeps them without it, and a replay fetches or re-makes it.
 * `remove` and `restore` keep the order of fields, so that a replay is the same byte for byte.
 */
export interface AnswerSecrets {
  /** `result` is what the answer presents, for what `restore` needs beyond the answer. */
  remove(answer: unknown, result: unknown): unknown
  restore(services: Services, caller: Caller, stored: unknown): Promise<unknown>
}

/** A route of which the type checker still knows what it is called by and what it answers: the tests read answers with that. */
export interface KnownRoute<Method extends RouteMethod, Path extends string, Reply extends TSchema> extends Route {
  method: Method
  path: Path
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
  query?: Query
  body?: Body
  bodyIsOptional?: boolean
  reply: Reply
  errors?: readonly ErrorCode[]
  sandboxOnly?: boolean
  refine?: (body: unknown, caller: Caller, services: Services) => FieldError[]
  handle(services: Services, request: RouteRequest<Static<Query>, Static<Body>, PathId<Path>>): Promise<Result>
  present(result: Result): Static<Reply>
  secrets?: AnswerSecrets
}

/** Defines an operation with its types checked; the table holds them with the types erased. */
export function route<
  Method extends RouteMethod,
  Path extends string,
  Query extends TObject,
  Body extends TSchema,
  Reply extends TSchema,
  Result,
>(options: RouteOptions<Method, Path, Query, Body, Reply, Result>): KnownRoute<Method, Path, Reply> {
  return {
    ...options,
    query: options.query,
    body: options.body,
    bodyIsOptional: options.bodyIsOptional ?? false,
    errors: options.errors ?? [],
    sandboxOnly: options.sandboxOnly ?? false,
    refine: options.refine,
    secrets: options.secrets,
    // Safe: the request was validated against `query` and `body`, and the result comes from this route's own handle. An id that is
    // not of the path's kind is no row's id: it is answered as an unknown one.
    handle: (services, request) =>
      options.handle(services, request as RouteRequest<Static<Query>, Static<Body>, PathId<Path>>),
    present: (result) => options.present(result as Result),
  }
}

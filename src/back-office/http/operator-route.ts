import Type, { type Static, type TObject, type TSchema } from 'typebox'
import type { HouseholdDependencies, RouteDependencies } from '../../app/http/route-dependencies.ts'
import type { AccessDependencies } from '../../partners/access-dependencies.ts'
import type { Caller } from '../../partners/caller.ts'
import type { OperatorCaller, OperatorScope } from '../../partners/operators/operator-scopes.ts'
import type { Database } from '../../platform/db/database.ts'
import type { Operation, PresentedAt, RefineBody, ResponseSecrets, Route } from '../../platform/http/route.ts'
import { csvLine } from '../../platform/kernel/csv-line.ts'
import type { ErrorCode } from '../../platform/kernel/errors.ts'
import type { Row } from '../export-files/export-page.ts'
import type { RowOwner } from './find-owner.ts'

/** A validated request to `/operator-api`. */
export interface OperatorRequest<Query, Body> {
  scopes: readonly OperatorScope[]
  /** The parameters of the path; empty text for one that it does not have. */
  parameter(name: string): string
  query: Query
  body: Body
}

/** What an operation across partners may use. The database sees the rows of all of them. */
export interface OperatorDependencies extends HouseholdDependencies, Pick<AccessDependencies, 'tokenSource'> {
  db: Database
}

/** A response that is a file, sent as it is read. */
export interface FileResponse {
  contentType: string
  headers: Readonly<Record<string, string>>
  text: AsyncIterable<string>
}

/** One operation of the operator API. */
export interface OperatorRoute extends Operation {
  tag:
    | 'Contracts'
    | 'Priority Services Register'
    | 'Services'
    | 'Payments'
    | 'Customers'
    | 'Rate cards'
    | 'Partners'
    | 'People'
    | 'Reports'
    | 'Tasks'
    | 'Webhooks'
  scope: OperatorScope
  run:
    | {
        /**
         * Reads or changes what belongs to no partner or to several. Repeating it must be harmless, because responses
         * are not stored.
         */
        forAll(
          deps: OperatorDependencies,
          caller: OperatorCaller,
          request: OperatorRequest<unknown, unknown>,
        ): Promise<unknown>
      }
    | { streams(deps: OperatorDependencies, request: OperatorRequest<unknown, unknown>): Promise<FileResponse> }
    | {
        /** The partner whose rows the operation reads or changes; undefined if nothing has this id. */
        owner(deps: OperatorDependencies, parameter: (name: string) => string): Promise<RowOwner | undefined>
        forPartner(
          deps: RouteDependencies,
          caller: Caller,
          request: OperatorRequest<unknown, unknown>,
          acrossPartners: OperatorDependencies,
        ): Promise<unknown>
      }
  refine: RefineBody | undefined
  present(result: unknown, at: PresentedAt): unknown
  /** What the response shows of the customer in its path, for the audit log. */
  shows?: 'customer' | 'contract' | undefined
  secrets?: ResponseSecrets | undefined
}

interface Description<Path extends string, Query extends TObject, Body extends TSchema, Reply extends TSchema> {
  operationId: string
  path: Path
  tag: OperatorRoute['tag']
  summary: string
  description?: string
  idDescription?: string
  scope: OperatorScope
  query?: Query
  body?: Body
  reply: Reply
  errors?: readonly ErrorCode[]
}

function operationOf<Body extends TSchema>(description: Description<string, TObject, Body, TSchema>) {
  const { query, body, errors = [] } = description
  return { ...description, query, body, errors, bodyIsOptional: false }
}

/** Defines an operation on what belongs to no partner or to several, with its types checked. By default a GET. */
export function operatorRoute<Query extends TObject, Body extends TSchema, Reply extends TSchema, Result>({
  method = 'GET',
  refine,
  handle,
  present,
  ...description
}: Description<string, Query, Body, Reply> & {
  method?: 'GET' | 'POST' | 'PATCH'
  refine?: OperatorRoute['refine']
  handle(
    deps: OperatorDependencies,
    caller: OperatorCaller,
    request: OperatorRequest<Static<Query>, Static<Body>>,
  ): Promise<Result>
  present(result: Result): Static<Reply>
}): OperatorRoute & { body: Body | undefined } {
  return {
    ...operationOf(description),
    method,
    refine,
    // These casts are safe: the request was validated against `query` and `body`, and the result comes from `handle`.
    run: {
      forAll: (deps, caller, request) => handle(deps, caller, request as OperatorRequest<Static<Query>, Static<Body>>),
    },
    present: (result) => present(result as Result),
  }
}

/**
 * Defines an operation on the rows of one partner, which reads or changes them as the partner API does, with its types
 * checked. By default a GET.
 */
export function partnerRoute<Query extends TObject, Body extends TSchema, Reply extends TSchema, Result>({
  method = 'GET',
  refine,
  owner,
  handle,
  present,
  ...description
}: Description<string, Query, Body, Reply> & {
  method?: 'GET' | 'POST'
  refine?: OperatorRoute['refine']
  owner: Extract<OperatorRoute['run'], { owner: unknown }>['owner']
  handle(
    deps: RouteDependencies,
    caller: Caller,
    request: OperatorRequest<Static<Query>, Static<Body>>,
    acrossPartners: OperatorDependencies,
  ): Promise<Result>
  present(result: Result): Static<Reply>
}): OperatorRoute & { body: Body | undefined } {
  return {
    ...operationOf(description),
    method,
    refine,
    // These casts are safe: the request was validated against `query` and `body`, and the result comes from `handle`.
    run: {
      owner,
      forPartner: (deps, caller, request, acrossPartners) =>
        handle(deps, caller, request as OperatorRequest<Static<Query>, Static<Body>>, acrossPartners),
    },
    present: (result) => present(result as Result),
  }
}

/**
 * An operation of the partner API that the operator runs as the partner to whom what its path names belongs. `name` is
 * the path's parameter here.
 */
export function servedRoute(
  route: Route,
  {
    name,
    findOwner,
    ...own
  }: {
    tag: OperatorRoute['tag']
    scope: OperatorScope
    name: string
    findOwner(deps: OperatorDependencies, id: string): Promise<RowOwner | undefined>
  },
): OperatorRoute {
  return {
    ...route,
    ...own,
    path: route.path.replace('{id}', `{${name}}`),
    run: {
      owner: (deps, parameter) => findOwner(deps, parameter(name)),
      forPartner: (deps, caller, { parameter, query, body }) =>
        route.handle(deps, { caller, scopes: [route.scope], id: parameter(name), parameter, query, body }),
    },
  }
}

const Lines = Type.Array(
  Type.Record(
    Type.String(),
    Type.Union([Type.String({ maxLength: 20_000 }), Type.Number(), Type.Boolean(), Type.Null()]),
  ),
  { maxItems: 100_000_000, description: 'The lines of the file, by column.' },
)

function csvOf(lines: readonly Row[]): string {
  return [Object.keys(lines[0] ?? {}), ...lines.map((line) => Object.values(line))].map(csvLine).join('')
}

/**
 * Defines an operation that sends a file of any length. What can fail with an error response must fail before `streams`
 * returns.
 */
export function operatorFile<Query extends TObject>({
  streams,
  replyHeaders,
  ...description
}: Omit<Description<string, Query, TSchema, TSchema>, 'reply'> &
  Required<Pick<Operation, 'replyHeaders'>> & {
    streams(deps: OperatorDependencies, request: OperatorRequest<Static<Query>, undefined>): Promise<FileResponse>
  }): OperatorRoute {
  return {
    ...operationOf({ ...description, reply: Lines }),
    textTypes: {
      'text/csv': (lines) => csvOf(lines as Row[]),
      'application/x-ndjson': (lines) => (lines as Row[]).map((line) => `${JSON.stringify(line)}\n`).join(''),
    },
    replyHeaders,
    method: 'GET',
    refine: undefined,
    // This cast is safe: the request was validated against `query`.
    run: { streams: (deps, request) => streams(deps, request as OperatorRequest<Static<Query>, undefined>) },
    present: (result) => result,
  }
}

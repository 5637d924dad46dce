import Type from 'typebox'
import { route } from '../../platform/http/route.ts'
import { Nullable, ResponseObject } from '../../platform/http/schemas/named.ts'
import { encodeCursor, idFromCursor, PageOf, PageQuery } from '../../platform/http/schemas/page.ts'
import {
  Count,
  CreatedAfter,
  CreatedBefore,
  parseOptionalInstant,
  Text,
  Timestamp,
  timestamp,
  WholeNumber,
} from '../../platform/http/schemas/values.ts'
import { listRequests } from './list-requests.ts'
import { keptRequestDays, keptRequests } from './logged-request.ts'

const statusLimits = { minimum: 100, maximum: 599 }

const SandboxRequest = ResponseObject('SandboxRequest', 'A request that you sent, without its body and ids.', {
  requestId: Text(128, 'The `X-Request-Id` of the response.'),
  createdAt: Timestamp('When the response was sent, in real time.'),
  method: Text(10, 'The HTTP method.'),
  route: Text(200, 'The path, with its parameters as `{id}`.'),
  operation: Text(100, 'The operationId.'),
  status: WholeNumber({ ...statusLimits, description: 'The HTTP status.' }),
  code: Nullable(Text(100, 'The code of the error; null if the request succeeded.')),
  durationMs: Count('How many milliseconds the response took.'),
})

export const listRequestsRoute = route({
  operationId: 'sandboxListRequests',
  method: 'GET',
  path: '/Sandbox/requests',
  tag: 'Sandbox',
  summary: 'List the requests that you sent, newest first',
  description: `Lists the requests whose token was accepted. A request is listed within about a second. The latest ${keptRequests.toLocaleString('en-GB')} of the last ${keptRequestDays} days are kept. After a crash, some may be missing.`,
  scope: 'sandbox:steer',
  sandboxOnly: true,
  query: Type.Object(
    {
      operation: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'Return requests to the operation with this operationId.',
        }),
      ),
      status: Type.Optional(WholeNumber({ ...statusLimits, description: 'Return requests with this HTTP status.' })),
      createdAfter: Type.Optional(CreatedAfter),
      createdBefore: Type.Optional(CreatedBefore),
      ...PageQuery,
    },
    { additionalProperties: false },
  ),
  reply: PageOf('SandboxRequestList', SandboxRequest),
  errors: ['validation_failed'],
  handle: (deps, { caller, query }) =>
    listRequests(deps, caller, {
      operationId: query.operation,
      status: query.status,
      createdAfter: parseOptionalInstant(query.createdAfter),
      createdBefore: parseOptionalInstant(query.createdBefore),
      before: idFromCursor(query.cursor, 'request'),
      limit: query.limit ?? 20,
    }),
  present: ({ requests, next }) => ({
    data: requests.map(({ requestId, at, method, route: path, operationId, status, code, durationMs }) => ({
      requestId,
      createdAt: timestamp(at),
      method,
      route: path,
      operation: operationId,
      status,
      code,
      durationMs,
    })),
    nextCursor: encodeCursor(next),
  }),
})

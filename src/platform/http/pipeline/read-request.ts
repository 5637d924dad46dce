import type { FastifyReply, FastifyRequest } from 'fastify'
import { DomainError, type FieldError } from '../../kernel/errors.ts'
import { removeOptionalNulls } from '../optional-nulls.ts'
import { isBodyEmpty, jsonBody, rejectBody } from '../plugins/body.ts'
import type { Operation } from '../route.ts'
import { bodyValidator, type PartValidator, queryValidator, rejectInvalidFields } from '../validation.ts'

const noQuery: PartValidator = (value) =>
  Object.keys(value as object).map((name) => ({
    pointer: `/query/${name}`,
    code: 'unknown_field',
    detail: 'This operation has no query parameters.',
  }))

/**
 * Returns a function that checks the query and the body of a request against the operation's schemas and throws
 * `validation_failed` with every bad field at once. `refine` adds what a schema cannot express; it gets every body that
 * is an object, even one that the schema rejects.
 */
export function createRequestReader(
  operation: Pick<Operation, 'method' | 'query' | 'body' | 'bodyIsOptional' | 'errors'>,
): (request: FastifyRequest, refine?: (body: unknown) => FieldError[]) => { query: object; body: unknown } {
  const checkQuery = operation.query === undefined ? noQuery : queryValidator(operation.query)
  const checkBody = operation.body === undefined ? undefined : bodyValidator(operation.body)
  return (request, refine) => {
    const query = { ...(request.query as object) }
    const found = checkQuery(query)
    let body: unknown
    if (checkBody === undefined || operation.body === undefined) rejectBody(request)
    else if (!(operation.bodyIsOptional && isBodyEmpty(request))) {
      body = jsonBody(request)
      if (operation.method !== 'PATCH') removeOptionalNulls(operation.body, body)
      found.push(...checkBody(body))
    }
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body)
    rejectInvalidFields(found, isObject ? (refine?.(body) ?? []) : [], operation.errors)
    return { query, body }
  }
}

/**
 * The path as the idempotency of a request sees it: built from the specification's path, so letter case in the URL
 * makes no difference, but a different id or query does.
 */
export function canonicalPath(request: FastifyRequest, { path }: Pick<Operation, 'path'>): string {
  const { url } = request
  return (
    path.replace(/\{(\w+)\}/g, (_, name: string) => parameterOf(request, name)) +
    (url.includes('?') ? url.slice(url.indexOf('?')) : '')
  )
}

/**
 * A parameter of the path; empty if the path has none of this name. A malformed id is treated as unknown, not invalid
 * (docs/api-behaviour.md#conventions), and never reaches the database.
 */
export function parameterOf(request: FastifyRequest, name: string): string {
  const value = (request.params as Record<string, string>)[name]
  if (value === undefined) return ''
  if (/^[\x20-\x7e]{1,255}$/.test(value)) return value
  throw new DomainError(
    'not_found',
    'There is nothing with this id. Check the id, and make sure that it was created with your credentials.',
  )
}

/** Sends JSON that must not be stored on the way. */
export function sendJson(reply: FastifyReply, json: string): FastifyReply {
  return reply.header('Content-Type', 'application/json; charset=utf-8').header('Cache-Control', 'no-store').send(json)
}

/** Throws `not_acceptable` if the caller accepts neither JSON nor one of the operation's other types. */
export function rejectUnacceptable(
  request: FastifyRequest,
  { textTypes = {} }: Pick<Operation, 'textTypes'> = {},
): void {
  const further = Object.keys(textTypes)
  const types = ['application/json', 'application/problem+json', ...further]
  if (request.headers.accept === undefined || request.accepts().type(types) !== false) return
  throw new DomainError(
    'not_acceptable',
    further.length === 0
      ? 'Every response is JSON. Send "Accept: application/json" or no Accept header.'
      : `The response is application/json, ${further.join(' or ')}. Accept these, or send no Accept header.`,
  )
}

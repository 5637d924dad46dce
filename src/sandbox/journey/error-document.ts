import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { type HttpResponse, parseJsonBody } from './exchange.ts'

const text = Type.Optional(Type.String())

/**
 * The members of an error document that may be printed. Nothing else is printed, because other responses could contain
 * a secret.
 */
const ErrorDocument = Type.Object({
  type: text,
  title: text,
  status: Type.Optional(Type.Integer()),
  detail: text,
  code: text,
  requestId: text,
  errors: Type.Optional(
    Type.Array(Type.Object({ pointer: Type.String(), code: Type.String(), detail: Type.String() })),
  ),
  error: text,
  error_description: text,
})
/** A problem document (RFC 9457), or the error of a token request (RFC 6749). */
export type ErrorDocument = Static<typeof ErrorDocument>

/** The documented members of a response's error document; undefined if the response is not an error document. */
export function readErrorDocument(answer: HttpResponse): ErrorDocument | undefined {
  const value = parseJsonBody(answer)
  if (!Value.Check(ErrorDocument, value) || (value.title === undefined && value.error === undefined)) return undefined
  const known = Object.keys(ErrorDocument.properties)
  return Object.fromEntries(Object.entries(value).filter(([name]) => known.includes(name)))
}

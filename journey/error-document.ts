import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { type Answer, jsonOf } from './exchange.ts'

const text = Type.Optional(Type.String())

/** The members a failed call may be told with: an answer that is no error document could hold a secret. */
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
/** A problem document (RFC 9457), or what a token call answers (RFC 6749). */
export type ErrorDocument = Static<typeof ErrorDocument>

/** The error document of an answer, its documented members only; undefined where it is none. */
export function errorDocumentOf(answer: Answer): ErrorDocument | undefined {
  const value = jsonOf(answer)
  if (!Value.Check(ErrorDocument, value) || (value.title === undefined && value.error === undefined)) return undefined
  const known = Object.keys(ErrorDocument.properties)
  return Object.fromEntries(Object.entries(value).filter(([name]) => known.includes(name)))
}

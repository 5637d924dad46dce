import Type from 'typebox'
import { NamedChoice, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Text, WholeNumber } from '../../platform/http/schemas/values.ts'
import type { DocumentedErrors } from '../../platform/openapi/problem-responses.ts'
import { errorCodes, errorResponses, partnerErrorResponses } from '../http/error-responses.ts'

const InvalidField = ResponseObject('InvalidField', 'An invalid field of a request.', {
  pointer: Text(400_000, 'A JSON pointer to the field in the body, or `/query/name`, `/path/name` or `/header/name`.'),
  code: Text(64, 'What is wrong with the field, such as `required` or `wrong_format`.', { pattern: '^[a-z0-9_]+$' }),
  detail: Text(2_000, 'What is wrong and how to fix it.'),
})

/** The body of every error of an API's operations (RFC 9457), with the codes of that API. */
const problemOf = (api: '' | 'Operator', codes: readonly string[]) =>
  ResponseObject(`${api}Problem`, 'A problem document (RFC 9457).', {
    type: Type.String({
      format: 'uri',
      maxLength: 2_048,
      description: 'A URL that opens the documentation of this error.',
    }),
    title: Text(200, 'A summary of the error, the same for every error with this code.'),
    status: WholeNumber({ minimum: 400, maximum: 599, description: 'The HTTP status.' }),
    // The text names every invalid field, and a body can consist almost entirely of field names.
    detail: Text(400_000, 'What went wrong and how to fix it.'),
    code: NamedChoice(`${api}ErrorCode`, codes, 'What went wrong, for your program to act on. New codes may be added.'),
    requestId: Text(128, 'The id of the request, as in `X-Request-Id`.', { pattern: '^[A-Za-z0-9._:-]+$' }),
    errors: Type.Optional(
      Type.Array(InvalidField, { maxItems: 65_536, description: 'Every invalid field of the request.' }),
    ),
  })

/** The errors that the partner API's document describes. */
export const partnerErrors: DocumentedErrors = {
  responses: errorResponses,
  schema: problemOf('', Object.keys(partnerErrorResponses)),
}

/** The errors that the operator API's document describes, which also has operations of the partner API. */
export const operatorApiErrors: DocumentedErrors = {
  responses: errorResponses,
  schema: problemOf('Operator', errorCodes),
}

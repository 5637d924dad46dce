import Type from 'typebox'
import { RequestObject } from '../../platform/http/schemas/named.ts'
import { WholeNumber } from '../../platform/http/schemas/values.ts'

/** The body of a call that acknowledges a version. */
export const AcknowledgeRequest = RequestObject('AcknowledgeRequest', 'What was taken over.', {
  version: WholeNumber({ minimum: 1, maximum: 2_147_483_647, description: 'The version of the record.' }),
  reference: Type.String({
    minLength: 1,
    maxLength: 200,
    format: 'single-line',
    description: 'Your own reference for it.',
  }),
})

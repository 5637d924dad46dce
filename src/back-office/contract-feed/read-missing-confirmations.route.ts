import Type from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { confirmers } from '../../partners/partner-settings.schema.ts'
import { Choice, ResponseObject } from '../../platform/http/schemas/named.ts'
import { cursorAfter, matchCursor, pageFields, pageQuery } from '../../platform/http/schemas/page.ts'
import { Flag, Id, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { operatorRoute } from '../http/operator-route.ts'
import { readMissingConfirmations } from './read-missing-confirmations.ts'

const maxPage = 1_000

const Missing = ResponseObject('MissingConfirmation', 'A contract in force that its tenant was not told of.', {
  contractNumber: ContractNumber,
  partnerId: Id('The id of the partner.'),
  customerId: Id('The id of the customer.'),
  effectiveAt: Timestamp('When the contract took effect.'),
  confirmations: Choice(confirmers, 'Who was to send the confirmation.'),
  isGivenUp: Flag(
    'Whether the e-mail was given up: its recipient was rejected, or no mail server took it for three days.',
  ),
})

export const readMissingConfirmationsRoute = operatorRoute({
  operationId: 'listMissingConfirmations',
  path: '/Confirmations/missing',
  tag: 'Contracts',
  summary: 'List contracts whose tenants were not sent a confirmation',
  description:
    'Returns contracts in force whose confirmation was not sent within a day, or was rejected. Correct the e-mail address, send the contract by post or remind the partner; then report it with confirmation-sent. Until then the right to cancel does not end.',
  scope: 'contracts:read',
  query: Type.Object(pageQuery({ items: 'contracts', max: maxPage, standard: 100, longestCursor: 400 }), {
    additionalProperties: false,
  }),
  reply: ResponseObject('MissingConfirmationList', 'One page of a list.', pageFields(Missing, { max: maxPage })),
  errors: ['validation_failed'],
  handle: (deps, _caller, { query: { limit = 100, cursor } }) =>
    readMissingConfirmations(deps, { after: cursor && matchCursor(cursor, /^contract (.+)$/)[1], limit }),
  present: ({ missing, hasMore }) => ({
    data: missing.map(({ confirmedBy, effectiveAt, wasGivenUp, ...which }) => ({
      ...which,
      effectiveAt: timestamp(effectiveAt),
      confirmations: confirmedBy,
      isGivenUp: wasGivenUp,
    })),
    nextCursor: cursorAfter(missing, hasMore, ({ contractNumber }) => `contract ${contractNumber}`),
  }),
})

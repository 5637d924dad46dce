import Type from 'typebox'
import { ContractNumber } from '../../contracts/contract.schema.ts'
import { documentFormats } from '../../contracts/document-renderer.ts'
import { confirmers } from '../../partners/partner-settings.schema.ts'
import { Choice, RequestObject, ResponseObject } from '../../platform/http/schemas/named.ts'
import { cursorAfter, matchCursor, pageFields, pageQuery } from '../../platform/http/schemas/page.ts'
import { Count, DateOnly, Flag, Id, Text, Timestamp, timestamp } from '../../platform/http/schemas/values.ts'
import { isoDate } from '../../platform/kernel/dates.ts'
import { findContractOwner } from '../http/find-owner.ts'
import { operatorRoute, partnerRoute } from '../http/operator-route.ts'
import { acknowledgeContract } from './acknowledge-contract.ts'
import { ContractRecordObject, presentContractRecord } from './contract-record.schema.ts'
import { correctContract, wrongMeterPoints } from './correct-contract.ts'
import {
  AcknowledgeRequest,
  FeedObject,
  FeedQuery,
  feedPageOf,
  presentFeed,
  presentTimeline,
  TimelineEntry,
} from './feed.schema.ts'
import { readContract } from './read-contract.ts'
import { readContractDocuments } from './read-contract-documents.ts'
import { readContractFeed } from './read-contract-feed.ts'
import { readMissingConfirmations } from './read-missing-confirmations.ts'

export const readContractFeedRoute = operatorRoute({
  operationId: 'listContractFeed',
  path: '/Contracts',
  tag: 'Contracts',
  summary: 'Follow contracts',
  description:
    'Returns the changes of all contracts, oldest first, each with the contract as it is now. Store `nextCursor` together with what you received, and call again with `after`: nothing is ever added before a cursor that you got. A contract that changed several times appears several times: skip a record whose `version` you have.',
  scope: 'contracts:read',
  query: FeedQuery,
  reply: FeedObject,
  errors: ['validation_failed', 'feed_reset'],
  handle: (deps, _caller, { query }) => readContractFeed(deps, feedPageOf(query)),
  present: presentFeed,
})

const ContractWithTimeline = ResponseObject('ContractWithTimeline', 'A contract as it is now, with its changes.', {
  record: ContractRecordObject,
  timeline: Type.Array(TimelineEntry, { maxItems: 100_000, description: 'The changes of the contract, oldest first.' }),
})

export const readContractRoute = operatorRoute({
  operationId: 'getOperatorContract',
  path: '/Contracts/{number}',
  tag: 'Contracts',
  summary: 'Get a contract',
  description: 'Returns a contract of any partner as it is now, with its timeline.',
  idDescription: 'The contract number',
  scope: 'contracts:read',
  reply: ContractWithTimeline,
  handle: (deps, _caller, { parameter }) => readContract(deps, parameter('number')),
  present: ({ record, versions }) => ({ record: presentContractRecord(record), timeline: presentTimeline(versions) }),
})

const ContractDocument = ResponseObject('ContractDocument', 'A document as the customer received it.', {
  format: Choice(documentFormats, 'The format.'),
  sha256: Text(64, 'The SHA-256 of its bytes, in hexadecimal, as in the record of the contract.'),
  content: Text(20_000_000, 'Its bytes, in Base64.'),
})

const StoredDocuments = ResponseObject('StoredContractDocuments', 'The documents of a contract.', {
  contractNumber: Text(40, 'The contract number.'),
  documents: Type.Array(ContractDocument, { maxItems: documentFormats.length, description: 'One for each format.' }),
})

export const readContractDocumentsRoute = partnerRoute({
  operationId: 'getOperatorContractDocuments',
  path: '/Contracts/{number}/documents',
  tag: 'Contracts',
  summary: 'Get the documents of a contract',
  description:
    'Returns the documents of a contract that is or was in force, byte for byte as the customer received them. 404 before the contract is in force, and once the documents have been erased.',
  idDescription: 'The contract number',
  scope: 'contracts:read',
  reply: StoredDocuments,
  owner: (deps, parameter) => findContractOwner(deps, parameter('number')),
  handle: (deps, caller, { parameter }) => readContractDocuments(deps, caller, parameter('number')),
  present: ({ contractNumber, documents }) => ({
    contractNumber,
    documents: documents.map(({ format, sha256, bytes }) => ({ format, sha256, content: bytes.toString('base64') })),
  }),
})

const Acknowledged = ResponseObject('AcknowledgedContract', 'A version of a contract that was acknowledged.', {
  contractNumber: ContractNumber,
  version: Count('The version.'),
  reference: Text(200, 'Your reference.'),
  acknowledgedAt: Timestamp('When it was acknowledged the first time.'),
  isLatest: Flag('Whether this is the latest version. If not, read the contract again.'),
})

export const acknowledgeContractRoute = partnerRoute({
  method: 'POST',
  operationId: 'acknowledgeContract',
  path: '/Contracts/{number}/acknowledge',
  tag: 'Contracts',
  summary: 'Acknowledge a version of a contract',
  description:
    'Says that your back office has taken over this version, and under which reference. Repeating the call is harmless. A later version is unacknowledged again.',
  idDescription: 'The contract number',
  scope: 'contracts:write',
  body: AcknowledgeRequest,
  reply: Acknowledged,
  errors: ['validation_failed', 'acknowledged_otherwise'],
  owner: (deps, parameter) => findContractOwner(deps, parameter('number')),
  handle: (deps, caller, { parameter, body }) =>
    acknowledgeContract(deps, caller, { contractNumber: parameter('number'), ...body }),
  present: ({ acknowledgedAt, ...acknowledged }) => ({ ...acknowledged, acknowledgedAt: timestamp(acknowledgedAt) }),
})

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

const Digits = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[0-9]+$', description })

const optionalDate = (date: string | undefined) => (date === undefined ? null : isoDate(date))

export const correctContractRoute = partnerRoute({
  method: 'POST',
  operationId: 'correctContract',
  path: '/Contracts/{number}/corrections',
  tag: 'Contracts',
  summary: 'Correct a contract',
  description:
    'Corrects what turned out to be wrong after the contract was agreed, and makes a new version. The documents stay as they were. Meter points, `meterPayment` and the install date hold for every contract of the household, the date of birth for this one.',
  idDescription: 'The contract number',
  scope: 'contracts:write',
  body: RequestObject(
    'CorrectContractRequest',
    'What is corrected, and why.',
    {
      mpan: Type.Optional(Digits(13, 'The electricity meter point (MPAN core), with its check digit.')),
      mprn: Type.Optional(Digits(10, 'The gas meter point (MPRN), with its check digits.')),
      installDate: Type.Optional(DateOnly('The day on which broadband is installed.')),
      dateOfBirth: Type.Optional(DateOnly('The date of birth of the customer.')),
      meterPayment: Type.Optional(
        Choice(
          ['credit', 'prepayment'],
          'How the energy of the home is paid for now: `credit` once the supplier has changed a prepayment meter.',
        ),
      ),
      reason: Type.String({
        minLength: 1,
        maxLength: 200,
        format: 'single-line',
        description: 'Why, for your records. Must not contain personal data.',
      }),
    },
    { minProperties: 2 },
  ),
  refine: (body) => wrongMeterPoints(body as { mpan?: unknown; mprn?: unknown }),
  reply: ResponseObject('CorrectedContract', 'A contract after a correction.', {
    contractNumber: ContractNumber,
    version: Count('The version that the correction made.'),
  }),
  errors: ['validation_failed', 'contract_not_in_force', 'customer_erased'],
  owner: (deps, parameter) => findContractOwner(deps, parameter('number')),
  handle: (
    deps,
    caller,
    { parameter, body: { mpan = null, mprn = null, installDate, dateOfBirth, meterPayment = null, reason } },
  ) =>
    correctContract(deps, caller, {
      contractNumber: parameter('number'),
      mpan,
      mprn,
      installDate: optionalDate(installDate),
      dateOfBirth: optionalDate(dateOfBirth),
      meterPayment,
      reason,
    }),
  present: (corrected) => corrected,
})

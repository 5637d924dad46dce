import Type from 'typebox'
import { documentFormats } from '../../contracts/document-renderer.ts'
import { Choice, ResponseObject } from '../../platform/http/schemas/named.ts'
import { Text } from '../../platform/http/schemas/values.ts'
import { findContractOwner } from '../http/find-owner.ts'
import { partnerRoute } from '../http/operator-route.ts'
import { readContractDocuments } from './read-contract-documents.ts'

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
